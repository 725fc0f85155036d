"""Verifies Ed25519 signatures (RFC 8032 section 5.1), which Python's library does not.

Only public data is handled here, so nothing needs constant time. S must be below L, and the encodings of the key and of
R must be canonical, so that a message has no second signature that anyone could make of the first.
"""

import hashlib
from typing import Optional, Tuple

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)

# Extended coordinates (X, Y, Z, T): x = X/Z, y = Y/Z, x*y = T/Z.
Point = Tuple[int, int, int, int]
NEUTRAL: Point = (0, 1, 1, 0)


def _add(a: Point, b: Point) -> Point:
    x1, y1, z1, t1 = a
    x2, y2, z2, t2 = b
    m = (y1 - x1) * (y2 - x2) % P
    n = (y1 + x1) * (y2 + x2) % P
    c = 2 * t1 * t2 * D % P
    d = 2 * z1 * z2 % P
    e, f, g, h = n - m, d - c, d + c, n + m
    return e * f % P, g * h % P, f * g % P, e * h % P


def _decode(encoded: bytes) -> Optional[Point]:
    y = int.from_bytes(encoded, "little")
    sign = y >> 255
    y &= 2**255 - 1
    if y >= P:
        return None
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if (v * x * x + u) % P == 0:
        x = x * ROOT_OF_MINUS_1 % P
    if (v * x * x - u) % P != 0 or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


def _encode(point: Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, P - 2, P)
    return (y * inverse % P | (x * inverse % P & 1) << 255).to_bytes(32, "little")


def _combined(s: int, a: Point, k: int, b: Point) -> Point:
    """s*a + k*b, by one walk over the bits of both."""
    both = _add(a, b)
    choices = (NEUTRAL, b, a, both)
    result = NEUTRAL
    for bit in range(max(s.bit_length(), k.bit_length()) - 1, -1, -1):
        result = _add(result, result)
        choice = (s >> bit & 1) * 2 + (k >> bit & 1)
        if choice:
            result = _add(result, choices[choice])
    return result


BASE = _decode(bytes([0x58]) + bytes([0x66] * 31))


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key = _decode(public_key)
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    if key is None or BASE is None or s >= L:
        return False
    x, y, z, t = key
    k = int.from_bytes(hashlib.sha512(r + public_key + message).digest(), "little") % L
    # R = sB - kA; a computed point has one encoding.
    return _encode(_combined(s, BASE, k, (P - x, y, z, P - t))) == r
