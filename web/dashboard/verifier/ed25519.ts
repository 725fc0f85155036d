// Verification of Ed25519 (RFC 8032 section 5.1.7) by the browser, or by our own arithmetic if it lacks Ed25519.
// Nothing is secret, so constant time is not needed.
import { isEqual, joined, type Bytes } from "./bytes";

const prime = 2n ** 255n - 19n;
const order = 2n ** 252n + 27742317777372353535851937790883648493n;
const signatureBytes = 64;

const modulo = (value: bigint): bigint => ((value % prime) + prime) % prime;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let rest = exponent, square = modulo(base); rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % prime;
    square = (square * square) % prime;
  }
  return result;
}
const inverse = (value: bigint): bigint => power(value, prime - 2n);

const d = modulo(-121665n * inverse(121666n));
const rootOfMinusOne = power(2n, (prime - 1n) / 4n);

// Extended homogeneous coordinates (section 5.1.4): x = X/Z, y = Y/Z, x*y = T/Z.
interface Point {
  x: bigint;
  y: bigint;
  z: bigint;
  t: bigint;
}
const neutral: Point = { x: 0n, y: 1n, z: 1n, t: 0n };

function sum(a: Point, b: Point): Point {
  const e = modulo((a.y - a.x) * (b.y - b.x));
  const f = modulo((a.y + a.x) * (b.y + b.x));
  const g = modulo(2n * a.t * d * b.t);
  const h = modulo(2n * a.z * b.z);
  return {
    x: modulo((f - e) * (h - g)),
    y: modulo((h + g) * (f + e)),
    z: modulo((h - g) * (h + g)),
    t: modulo((f - e) * (f + e)),
  };
}

function times(scalar: bigint, point: Point): Point {
  let result = neutral;
  for (let rest = scalar, doubled = point; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = sum(result, doubled);
    doubled = sum(doubled, doubled);
  }
  return result;
}

const numberOf = (bytes: Bytes): bigint => bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);

// Section 5.1.3; undefined for an invalid point.
function decoded(bytes: Bytes): Point | undefined {
  const whole = numberOf(bytes);
  const sign = whole >> 255n;
  const y = whole & (2n ** 255n - 1n);
  if (y >= prime) return undefined;
  const u = modulo(y * y - 1n);
  const v = modulo(d * y * y + 1n);
  let x = modulo(u * v ** 3n * power(u * v ** 7n, (prime - 5n) / 8n));
  if (modulo(v * x * x) === modulo(-u)) x = modulo(x * rootOfMinusOne);
  if (modulo(v * x * x) !== u || (x === 0n && sign === 1n)) return undefined;
  if ((x & 1n) !== sign) x = prime - x;
  return { x, y, z: 1n, t: modulo(x * y) };
}

function encoded({ x, y, z }: Point): Bytes {
  const scale = inverse(z);
  let rest = modulo(y * scale) | ((modulo(x * scale) & 1n) << 255n);
  return Uint8Array.from({ length: 32 }, () => {
    const byte = Number(rest & 255n);
    rest >>= 8n;
    return byte;
  });
}

const generator = decoded(Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 0x58 : 0x66))) as Point;

/** Our own verification. `key` has 32 bytes. */
export async function verifyByArithmetic(key: Bytes, message: Bytes, signature: Bytes): Promise<boolean> {
  const point = decoded(key);
  const s = numberOf(signature.subarray(32));
  if (!point || signature.length !== signatureBytes || s >= order) return false;
  const r = signature.subarray(0, 32);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-512", joined(r, key, message)));
  const minus = { ...point, x: modulo(-point.x), t: modulo(-point.t) };
  return isEqual(encoded(sum(times(s, generator), times(numberOf(digest) % order, minus))), r);
}

async function browsersKey(key: Bytes): Promise<CryptoKey | undefined> {
  try {
    return await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);
  } catch {
    return undefined; // no Ed25519 here, or an invalid point
  }
}

/** Whether the key signed the message. `key` has 32 bytes. */
export async function verifyEd25519(key: Bytes, message: Bytes, signature: Bytes): Promise<boolean> {
  const imported = await browsersKey(key);
  if (!imported) return verifyByArithmetic(key, message, signature);
  return crypto.subtle.verify({ name: "Ed25519" }, imported, signature, message);
}
