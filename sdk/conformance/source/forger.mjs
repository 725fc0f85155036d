// A ledger that signs whatever it is given, with a fixed key.
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';

const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');
export const keyOf = (seed) =>
  createPrivateKey({ key: Buffer.concat([pkcs8, Buffer.alloc(32, seed)]), format: 'der', type: 'pkcs8' });
export const publicBytesOf = (key) => createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);

export const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const algorithm = Buffer.from([1]);
const keyIdOf = (name, bytes) => sha256(Buffer.from(`${name}\n`), algorithm, bytes).subarray(0, 4);
export const lineOf = (name, bytes) =>
  `${name}+${keyIdOf(name, bytes).toString('hex')}+${Buffer.concat([algorithm, bytes]).toString('base64')}`;

const key = keyOf('forger');
export const forgerBytes = publicBytesOf(key);
export const forgedOrigin = `pixledger/${'0'.repeat(32)}/1`;
export const forgerLine = lineOf(forgedOrigin, forgerBytes);

// A signed note of any text.
export function noteOf(text, origin = forgedOrigin) {
  const signature = Buffer.concat([keyIdOf(origin, forgerBytes), sign(null, Buffer.from(text), key)]);
  return `${text}\n\u2014 ${origin} ${signature.toString('base64')}\n`;
}

const digestBytes = 32;
// The two parts of an event's bytes in a receipt, and the leaf of such parts.
export const partsOf = ({ leaf, personal }) => ({
  envelope: Buffer.from(leaf, 'base64').subarray(0, -digestBytes),
  personal: personal && Buffer.from(personal, 'base64'),
});
const leafOf = ({ envelope, personal }) => Buffer.concat([envelope, sha256(personal ?? Buffer.alloc(0))]);

// A receipt of one or two events, [parts, shown event], which are all of the ledger; `stated` follows the root.
export function forge(transactionId, given, stated = '') {
  const leaves = given.map(([parts]) => leafOf(parts));
  const hashes = leaves.map((leaf) => sha256(Buffer.from([0]), leaf));
  const root = hashes.length === 1 ? hashes[0] : sha256(Buffer.from([1]), ...hashes);
  const checkpoint = noteOf(`${forgedOrigin}\n${leaves.length}\n${root.toString('base64')}\n${stated}`);
  const events = given.map(([{ personal }, event], i) => ({
    position: i + 1,
    leaf: leaves[i].toString('base64'),
    personal: personal && personal.toString('base64'),
    proof: hashes.filter((_, k) => k !== i).map((hash) => hash.toString('base64')),
    event: { ...event, position: i + 1 },
  }));
  return { transactionId, checkpoint, events };
}
