// Bytes and their text encodings.

export type Bytes = Uint8Array<ArrayBuffer>;

const chunk = 0x8000; // the arguments that a call can take

function binaryText(bytes: Bytes): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += chunk) text += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return text;
}

export const toBase64 = (bytes: Bytes): string => btoa(binaryText(bytes));

/** The bytes of canonical base64 (RFC 4648 section 4, padded); undefined for anything else. */
export function fromBase64(text: unknown): Bytes | undefined {
  if (typeof text !== "string") return undefined;
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return undefined;
  }
  const bytes = Uint8Array.from(binary, (each) => each.charCodeAt(0));
  // atob ignores blanks and missing padding; only the canonical form is accepted.
  return toBase64(bytes) === text ? bytes : undefined;
}

export const toHex = (bytes: Bytes): string => Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("");

export const isEqual = (a: Bytes, b: Bytes): boolean => a.length === b.length && a.every((each, i) => each === b[i]);

export function joined(...parts: Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text) as Bytes;

export const sha256 = async (...parts: Bytes[]): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));
