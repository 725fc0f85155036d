// Checkpoints: C2SP tlog-checkpoint in C2SP signed-note, with Ed25519. docs/reference/event-format.md names every byte.
import { fromBase64, isEqual, sha256, toHex, utf8, type Bytes } from "./bytes";
import { verifyEd25519 } from "./ed25519";

export interface VerifierKey {
  name: string; // the ledger's
  key: Bytes;
}
export interface Checkpoint {
  origin: string;
  size: number;
  root: Bytes;
  statesStreams: boolean; // checkpoints of 0.1.0 do not state their stream
  stream: { name: string; events: number } | null;
}

const noteBytesMax = 64 * 1024;
const keyBytes = 32;
const keyIdBytes = 4;
const algorithm = 1; // Ed25519
const keyName = /^[!-*,-~]+$/; // visible ASCII other than plus
const controls = /[\u0000-\u0009\u000b-\u001f]/;

const keyIdOf = async (name: string, key: Bytes): Promise<Bytes> =>
  (await sha256(utf8(`${name}\n`), Uint8Array.of(algorithm), key)).subarray(0, keyIdBytes);

/** The key in a line of `pixledger checkpoint --public-key`; undefined for anything else. */
export async function parseVerifierKey(line: string): Promise<VerifierKey | undefined> {
  const [, name, id, encoded] = /^([^+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(line.trim()) ?? [];
  const bytes = fromBase64(encoded);
  if (!name || !keyName.test(name) || bytes?.length !== 1 + keyBytes || bytes[0] !== algorithm) return undefined;
  const key = bytes.subarray(1);
  return toHex(await keyIdOf(name, key)) === id ? { name, key } : undefined;
}

// Whether the key signed the text, by the lines below it. Ignores other keys' signatures.
async function isSigned(text: string, lines: string[], { name, key }: VerifierKey): Promise<boolean> {
  const keyId = await keyIdOf(name, key);
  let signed = false;
  for (const line of lines) {
    if (!line.startsWith("\u2014 ")) return false;
    if (!line.startsWith(`${name} `, 2)) continue;
    const bytes = fromBase64(line.slice(2 + name.length + 1));
    if (!bytes) return false;
    if (!isEqual(bytes.subarray(0, keyIdBytes), keyId)) continue;
    if (!(await verifyEd25519(key, utf8(text), bytes.subarray(keyIdBytes)))) return false;
    signed = true;
  }
  return signed;
}

// The signed text of a note; undefined if invalid.
async function openNote(note: string, key: VerifierKey): Promise<string | undefined> {
  const gap = note.lastIndexOf("\n\n");
  const lines = note.slice(gap + 2).split("\n");
  // The last line must end with a newline; control characters and broken UTF-8 are invalid.
  if (gap < 0 || lines.length < 2 || lines.pop() !== "" || controls.test(note)) return undefined;
  const bytes = utf8(note);
  if (bytes.length > noteBytesMax || new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) !== note) return undefined;
  const text = note.slice(0, gap + 1);
  return (await isSigned(text, lines, key)) ? text : undefined;
}

// The content of the line about streams; undefined if it is malformed or repeated.
function streamOf(extensions: string[]): Pick<Checkpoint, "statesStreams" | "stream"> | undefined {
  const lines = extensions.filter((line) => line.startsWith("stream "));
  if (lines.length === 0) return { statesStreams: false, stream: null };
  if (lines.length === 1 && lines[0] === "stream - 0") return { statesStreams: true, stream: null };
  const [, name, number] = /^stream ([a-z]+-[^ ]+) ([1-9][0-9]{0,9})$/.exec(lines[0] ?? "") ?? [];
  if (lines.length > 1 || name === undefined || Number(number) >= 2 ** 32) return undefined;
  return { statesStreams: true, stream: { name, events: Number(number) } };
}

/** A checkpoint signed by the key; undefined for anything else. */
export async function openCheckpoint(note: string, key: VerifierKey): Promise<Checkpoint | undefined> {
  const origin = note.split("\n", 1)[0] ?? "";
  if (origin !== key.name) return undefined;
  const lines = (await openNote(note, key))?.split("\n");
  // The last line must end with a newline; no line may be empty.
  if (lines?.pop() !== "" || lines.length < 3 || lines.includes("")) return undefined;
  const size = /^(0|[1-9][0-9]*)$/.test(lines[1] ?? "") ? Number(lines[1]) : NaN;
  const root = fromBase64(lines[2]);
  if (!Number.isSafeInteger(size) || root?.length !== 32) return undefined;
  const stated = streamOf(lines.slice(3));
  return stated && { origin, size, root, ...stated };
}
