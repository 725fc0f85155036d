"""The Merkle tree of RFC 6962 section 2.1, with SHA-256."""

import hashlib
from typing import Sequence


def _hash(prefix: bytes, *parts: bytes) -> bytes:
    return hashlib.sha256(prefix + b"".join(parts)).digest()


def is_included(leaf: bytes, position: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether the leaf is at `position` (1, 2, 3…) in the tree of that size and root: the proof is followed by dividing
    the tree as section 2.1.1 does when it makes one."""
    if position < 1 or position > size:
        return False
    # Whether the leaf was on the left, at each division from the root down.
    turns = []
    begin, end = 0, size
    while end - begin > 1:
        half = 1 << ((end - begin - 1).bit_length() - 1)
        is_left = position <= begin + half
        turns.append(is_left)
        begin, end = (begin, begin + half) if is_left else (begin + half, end)
    if len(turns) != len(proof):
        return False
    computed = _hash(b"\0", leaf)
    for is_left, sibling in zip(reversed(turns), proof):
        computed = _hash(b"\1", computed, sibling) if is_left else _hash(b"\1", sibling, computed)
    return computed == root
