// Checkpoints: of a server of 0.2.0 (ledger.json), and of a ledger that signs rubbish.
import { readFileSync } from 'node:fs';
import { forgedOrigin, forgerBytes, forgerLine, lineOf, noteOf } from './forger.mjs';

const { publicKey, checkpoint, paid } = JSON.parse(readFileSync(new URL('ledger.json', import.meta.url)));
const root = Buffer.alloc(32, 'root').toString('base64');

function saidBy(text, stream) {
  const [origin, size, hash] = text.split('\n');
  return {
    result: { ok: true, origin, size: Number(size), rootHash: Buffer.from(hash, 'base64').toString('hex'), stream },
  };
}
const vector = (name, text, expect, key = { publicKey }) => ({
  name: `checkpoint: ${name}`,
  kind: 'verify_checkpoint',
  input: { checkpoint: text, ...key },
  options: {},
  expect,
});
const good = (name, text, stream = null, key = undefined) => vector(name, text, saidBy(text, stream), key);
const bad = (name, text, key) => vector(name, text, { reason: 'not_signed' }, key);
const wrong = (name, text, key) => vector(name, text, { wrongUse: true }, key);
const forger = { publicKey: forgerLine };
const inBytes = (bytes) => ({ publicKeyBase64: bytes.toString('base64') });
const stateOf = (size, more = '', origin = forgedOrigin) => `${origin}\n${size}\n${root}\n${more}`;
const forged = (name, text) => bad(`signed, but ${name}`, noteOf(text), forger);

const bareKey = Buffer.from(publicKey.split('+').slice(2).join('+'), 'base64').subarray(1);
const elsewhere = 'example.com/log';

export default [
  good('of the ledger', checkpoint),
  good('of a receipt', paid.checkpoint, { name: `charge-${paid.transactionId}`, events: 3 }),
  good('the key in bytes', checkpoint, null, inBytes(bareKey)),
  good('of 0.1.0', noteOf(stateOf(7)), null, forger),
  good('of an empty ledger', noteOf(stateOf(0)), null, forger),
  good('with lines that are unknown', noteOf(stateOf(7, 'other 1\nanother\n')), null, forger),
  good('of the largest size', noteOf(stateOf(Number.MAX_SAFE_INTEGER)), null, forger),
  good('of another kind of ledger whose key has its name', noteOf(stateOf(7, '', elsewhere), elsewhere), null, {
    publicKey: lineOf(elsewhere, forgerBytes),
  }),
  bad(
    'of another kind of ledger, the key in bytes',
    noteOf(stateOf(7, '', elsewhere), elsewhere),
    inBytes(forgerBytes),
  ),
  bad('of another key', checkpoint, forger),
  bad('of another key in bytes', checkpoint, inBytes(forgerBytes)),
  bad('empty', ''),
  bad('a text', 'pixledger'),
  bad('changed', checkpoint.replace(/\n(\d+)\n/, '\n1\n')),
  bad('with carriage returns', checkpoint.replaceAll('\n', '\r\n')),
  bad('too long', `${checkpoint}${`\u2014 other ${'A'.repeat(100)}\n`.repeat(700)}`),
  forged('a size with a zero in front', stateOf('07')),
  forged('a size that is negative', stateOf('-7')),
  forged('a size that is no number', stateOf('x')),
  forged('a size beyond what every language holds', stateOf('9007199254740993')),
  forged('a root of 31 bytes', `${forgedOrigin}\n7\n${Buffer.alloc(31).toString('base64')}\n`),
  forged('a root that is no base64', `${forgedOrigin}\n7\n${'!'.repeat(44)}\n`),
  forged('no root', `${forgedOrigin}\n7\n`),
  forged('an empty line', stateOf(7, '\nother\n')),
  forged('a number of events beyond 32 bits', stateOf(7, 'stream charge-c12345678 4294967296\n')),
  wrong('no checkpoint', null),
  wrong('a number', 7),
  wrong('no key', checkpoint, { publicKey: '' }),
  wrong('a key of 33 bytes', checkpoint, inBytes(Buffer.alloc(33))),
];
