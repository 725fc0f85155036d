'use strict';

// The Merkle tree of RFC 6962 section 2.1, with SHA-256.

const { createHash } = require('node:crypto');

const hashOf = (prefix, ...parts) => {
  const hash = createHash('sha256').update(Buffer.from([prefix]));
  for (const part of parts) hash.update(part);
  return hash.digest();
};
const leafHash = (leaf) => hashOf(0, leaf);
const nodeHash = (left, right) => hashOf(1, left, right);

/**
 * Whether the leaf is at `position` (1, 2, 3…) in the tree of that size and root: the proof is followed by
 * dividing the tree as section 2.1.1 does when it makes one. Position and size are safe integers.
 */
function isIncluded(leaf, position, size, proof, root) {
  if (position < 1 || position > size) return false;
  // Whether the leaf was on the left, at each division from the root down.
  const turns = [];
  for (let begin = 0, end = size; end - begin > 1; ) {
    let half = 1;
    while (half * 2 < end - begin) half *= 2;
    const isLeft = position <= begin + half;
    turns.push(isLeft);
    if (isLeft) end = begin + half;
    else begin += half;
  }
  if (turns.length !== proof.length) return false;
  const computed = proof.reduce(
    (hash, sibling, i) => (turns[turns.length - 1 - i] ? nodeHash(hash, sibling) : nodeHash(sibling, hash)),
    leafHash(leaf),
  );
  return computed.equals(root);
}

module.exports = { isIncluded };
