'use strict';

const { createPublicKey, verify } = require('node:crypto');
const { bytesFromBase64 } = require('./base64.cjs');

// DER in front of the 32 bytes of an Ed25519 key (RFC 8410).
const keyHead = Buffer.from('302a300506032b6570032100', 'hex');
const keyBytes = 32;
const signed = /(?:^|[?&])(session=([^&#=]+)&transaction=([^&#=]+)&status=([a-z_]+)&t=([0-9]{1,15}))&sig=([A-Za-z0-9_-]{86})$/;

function keyOf(publicKey) {
  const bytes = bytesFromBase64(publicKey);
  if (!bytes || bytes.length !== keyBytes) throw new TypeError('publicKey must be returnPublicKey of the store');
  return createPublicKey({ key: Buffer.concat([keyHead, bytes]), format: 'der', type: 'spki' });
}

/** See index.d.cts. */
function verifyReturn(url, publicKey, options = {}) {
  const { session: expected, toleranceSeconds = 3600, now = Date.now } = options;
  const key = keyOf(publicKey);
  // An order without a session must not accept another session's address.
  if ('session' in options && typeof expected !== 'string')
    throw new TypeError('session must be the id of a session');
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0)
    throw new TypeError('toleranceSeconds must be a number from 0 on');
  const found = signed.exec(String(url));
  if (!found) return undefined;
  const [, text, session, transaction, status, t, sig] = found;
  const signature = Buffer.from(sig, 'base64url');
  // One text for one signature: other encodings of the same bytes are rejected.
  if (signature.toString('base64url') !== sig || !verify(null, Buffer.from(text), key, signature)) return undefined;
  if (expected !== undefined && session !== expected) return undefined;
  if (Math.abs(now() / 1000 - Number(t)) > toleranceSeconds) return undefined;
  return { session, transaction, status, signedAt: new Date(Number(t) * 1000) };
}

module.exports = { verifyReturn };
