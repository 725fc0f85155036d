'use strict';

// Checkpoints: C2SP tlog-checkpoint in C2SP signed-note, with Ed25519.

const { KeyObject, createHash, createPublicKey, verify } = require('node:crypto');
const { bytesFromBase64 } = require('./base64.cjs');

const noteBytesMax = 64 * 1024;
const keyBytes = 32;
const keyIdBytes = 4;
const ed25519Algorithm = Buffer.from([1]);
// A SubjectPublicKeyInfo of RFC 8410 up to the key.
const keyPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const keyName = /^[!-*,-~]+$/; // visible ASCII other than plus
const originForm = /^pixledger\/[0-9a-f]{32}\/(0|[1-9][0-9]{0,9})$/;
const wrongKey =
  'publicKey must be the line that `pixledger checkpoint --public-key` prints, the 32 bytes of an Ed25519 key, or its KeyObject';

const keyIdOf = (name, key) =>
  createHash('sha256').update(`${name}\n`).update(ed25519Algorithm).update(key).digest().subarray(0, keyIdBytes);

function parseVerifierLine(text) {
  const [, name, id, encoded] = /^([^+]+)\+([0-9a-f]{8})\+([^\n]+)\n?$/.exec(text) ?? [];
  const bytes = bytesFromBase64(encoded);
  if (!keyName.test(name ?? '') || bytes?.length !== 1 + keyBytes || bytes[0] !== ed25519Algorithm[0])
    throw new TypeError(wrongKey);
  const key = bytes.subarray(1);
  if (keyIdOf(name, key).toString('hex') !== id) throw new TypeError(wrongKey);
  return { name, key };
}

// {name, key}: the 32 bytes, and the ledger's name from the line; a bare key has no name.
function parsePublicKey(given) {
  if (typeof given === 'string') return parseVerifierLine(given);
  if (given instanceof KeyObject && given.type === 'public' && given.asymmetricKeyType === 'ed25519')
    return { key: Buffer.from(given.export({ format: 'jwk' }).x, 'base64url') };
  if (given instanceof Uint8Array && given.length === keyBytes) return { key: Buffer.from(given) };
  throw new TypeError(wrongKey);
}

// The text that the key has signed; undefined for anything else. Ignores signatures of other keys.
function openNote(note, name, key) {
  const gap = note.lastIndexOf('\n\n');
  const lines = note.slice(gap + 2).split('\n');
  // The last line ends, too; a note has no control character and no half of a character.
  if (gap < 0 || lines.length < 2 || lines.pop() !== '' || /[\u0000-\u0009\u000b-\u001f]/.test(note)) return undefined;
  if (Buffer.byteLength(note) > noteBytesMax || Buffer.from(note).toString() !== note) return undefined;
  const text = note.slice(0, gap + 1);
  const keyId = keyIdOf(name, key);
  const publicKey = createPublicKey({ key: Buffer.concat([keyPrefix, key]), format: 'der', type: 'spki' });
  let isSigned = false;
  for (const line of lines) {
    if (!line.startsWith('\u2014 ')) return undefined;
    if (!line.startsWith(`${name} `, 2)) continue;
    const bytes = bytesFromBase64(line.slice(2 + name.length + 1));
    if (!bytes) return undefined;
    if (!bytes.subarray(0, keyIdBytes).equals(keyId)) continue;
    if (!verify(null, Buffer.from(text), publicKey, bytes.subarray(keyIdBytes))) return undefined;
    isSigned = true;
  }
  return isSigned ? text : undefined;
}

// The content of the line about streams: {stream, events}; null if it names no stream or is missing,
// which `statesStreams` distinguishes. undefined for another form of it, or a second one.
function streamOf(extensions) {
  const lines = extensions.filter((line) => line.startsWith('stream '));
  if (lines.length === 0) return { statesStreams: false, stream: null };
  if (lines.length === 1 && lines[0] === 'stream - 0') return { statesStreams: true, stream: null };
  const [, name, number] = /^stream ([a-z]+-[^ ]+) ([1-9][0-9]{0,9})$/.exec(lines[0]) ?? [];
  if (lines.length > 1 || name === undefined || Number(number) >= 2 ** 32) return undefined;
  return { statesStreams: true, stream: { name, events: Number(number) } };
}

/**
 * {origin, size, root, statesStreams, stream} of a checkpoint that the key has signed; undefined for anything else.
 * `stream` is {name, events} in a receipt's, else null; those of 0.1.0 do not say which they are (`statesStreams`).
 */
function openCheckpoint(note, { name, key }) {
  const origin = note.split('\n', 1)[0];
  if (name === undefined && !(originForm.test(origin) && Number(origin.split('/')[2]) < 2 ** 32)) return undefined;
  if (name !== undefined && name !== origin) return undefined;
  const lines = openNote(note, origin, key)?.split('\n');
  // The last line ends, and none is empty.
  if (lines?.pop() !== '' || lines.length < 3 || lines.includes('')) return undefined;
  const size = /^(0|[1-9][0-9]*)$/.test(lines[1]) ? Number(lines[1]) : NaN;
  const root = bytesFromBase64(lines[2]);
  if (!Number.isSafeInteger(size) || root?.length !== 32) return undefined;
  const stated = streamOf(lines.slice(3));
  return stated && { origin, size, root, ...stated };
}

module.exports = { parsePublicKey, openCheckpoint };
