'use strict';

/** The bytes of canonical base64 (RFC 4648 section 4, padded); undefined for anything else. */
function bytesFromBase64(text) {
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, 'base64');
  // Node ignores invalid characters; only the canonical form of the bytes is accepted.
  return bytes.toString('base64') === text ? bytes : undefined;
}

module.exports = { bytesFromBase64 };
