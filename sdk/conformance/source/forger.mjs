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

// The bytes of an envelope with another version: its field 2, in place (https://flatbuffers.dev, "Internals").
export function withVersion(envelope, version) {
  const bytes = Buffer.from(envelope);
  const start = bytes.readUInt32LE(0);
  const vtable = start - bytes.readInt32LE(start);
  bytes.writeUInt32LE(version, start + bytes.readUInt16LE(vtable + 8));
  return bytes;
}

const nodeOf = (left, right) => sha256(Buffer.from([1]), left, right);

// The root of hashes of leaves, and the proof of each (RFC 6962 section 2.1).
function treeOf(hashes) {
  if (hashes.length === 1) return { root: hashes[0], proofs: [[]] };
  let half = 1;
  while (half * 2 < hashes.length) half *= 2;
  const [left, right] = [hashes.slice(0, half), hashes.slice(half)].map(treeOf);
  const proofs = [
    ...left.proofs.map((proof) => [...proof, right.root]),
    ...right.proofs.map((proof) => [...proof, left.root]),
  ];
  return { root: nodeOf(left.root, right.root), proofs };
}

// A receipt of events, [parts, shown event], which are all of the ledger; `stated` follows the root.
export function forge(transactionId, given, stated = '') {
  const leaves = given.map(([parts]) => leafOf(parts));
  const { root, proofs } = treeOf(leaves.map((leaf) => sha256(Buffer.from([0]), leaf)));
  const checkpoint = noteOf(`${forgedOrigin}\n${leaves.length}\n${root.toString('base64')}\n${stated}`);
  const events = given.map(([{ personal }, event], i) => ({
    position: i + 1,
    leaf: leaves[i].toString('base64'),
    personal: personal && personal.toString('base64'),
    proof: proofs[i].map((hash) => hash.toString('base64')),
    event: { ...event, position: i + 1 },
  }));
  return { transactionId, checkpoint, events };
}
