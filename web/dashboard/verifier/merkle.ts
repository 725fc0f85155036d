// The Merkle tree of RFC 6962 section 2.1, with SHA-256.
import { isEqual, sha256, type Bytes } from "./bytes";

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

// From the root down: whether the leaf is in the left subtree.
function turnsTo(position: number, size: number): boolean[] {
  const turns: boolean[] = [];
  for (let begin = 0, end = size; end - begin > 1; ) {
    let half = 1;
    while (half * 2 < end - begin) half *= 2;
    const isLeft = position <= begin + half;
    turns.push(isLeft);
    if (isLeft) end = begin + half;
    else begin += half;
  }
  return turns;
}

/** Whether the leaf is at `position` (1, 2, 3…) in the tree of that size and root. */
export async function isIncluded(leaf: Bytes, position: number, size: number, proof: Bytes[], root: Bytes): Promise<boolean> {
  if (position < 1 || position > size) return false;
  const turns = turnsTo(position, size);
  if (turns.length !== proof.length) return false;
  let hash = await sha256(leafPrefix, leaf);
  for (const sibling of proof) hash = turns.pop() ? await sha256(nodePrefix, hash, sibling) : await sha256(nodePrefix, sibling, hash);
  return isEqual(hash, root);
}
