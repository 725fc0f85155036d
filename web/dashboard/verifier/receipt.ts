// Verifies that a receipt's events are those of its charge and in the signed ledger, as `pixledger check-proof` does.
// docs/explanation/proofs.md says what that proves.
import { readEvent, statusAfter, type StoredEvent } from "../../../sdk/node/lib/charge-events.cjs";
import { UnreadableBytes } from "../../../sdk/node/lib/flat.cjs";
import { parseStrictly } from "../../../sdk/node/lib/strict-json.cjs";
import { fromBase64, isEqual, sha256, toHex, utf8, type Bytes } from "./bytes";
import { openCheckpoint, type Checkpoint, type VerifierKey } from "./checkpoint";
import { isIncluded } from "./merkle";

export type Reason =
  | "malformed_receipt"
  | "not_signed"
  | "not_included"
  | "personal_data_differ"
  | "unreadable_event"
  | "wrong_event"
  | "shown_differs"
  | "incomplete";

/** `place`: the invalid field or position, if there is one. */
export interface Refused {
  ok: false;
  reason: Reason;
  place: string;
}
export interface Verified {
  ok: true;
  transactionId: string;
  status: string;
  events: StoredEvent[];
  streamLength: number | null; // null: receipts of 0.1.0 do not state it
  withoutPersonalData: number;
  origin: string;
  size: number;
  rootHash: string;
}
export type Verdict = Verified | Refused;

interface GivenEvent {
  position: number;
  leaf: Bytes;
  personal: Bytes | null;
  proof: Bytes[];
  shown: unknown;
  path: string;
}
interface GivenReceipt {
  transactionId: string;
  checkpoint: string;
  events: GivenEvent[];
}
type Fields = Record<string, unknown>;

const receiptBytesMax = 64 * 1024 * 1024;
const digestBytes = 32;
const proofHashesMax = 64;
const plainName = /^[0-9A-Za-z_]{1,64}$/;
const idForm = /^[cC][^\u0000-\u0020\u007f-]{8,63}$/;

class Refusal extends Error {
  constructor(
    readonly reason: Reason,
    readonly place = "",
  ) {
    super(reason);
  }
}
function demand(condition: unknown, place: string): asserts condition {
  if (!condition) throw new Refusal("malformed_receipt", place);
}

const isObject = (value: unknown): value is Fields => value !== null && typeof value === "object" && !Array.isArray(value);

// A name in another form is not repeated: it may be anything, of any length.
const pathOf = (parent: string, name: string): string => `${parent && `${parent}.`}${plainName.test(name) ? name : "…"}`;

// An object with exactly these fields: others would look proven, too.
function fieldsOf(value: unknown, path: string, names: string[]): Fields {
  demand(isObject(value), path);
  for (const name of names) demand(Object.hasOwn(value, name), pathOf(path, name));
  for (const name of Object.keys(value)) demand(names.includes(name), pathOf(path, name));
  return value;
}

function proofOf(value: unknown, path: string): Bytes[] {
  demand(Array.isArray(value) && value.length <= proofHashesMax, path);
  return value.map((each) => {
    const hash = fromBase64(each);
    demand(hash?.length === digestBytes, path);
    return hash;
  });
}

function eventOf(given: unknown, path: string): GivenEvent {
  const { position, leaf: leafText, personal: personalText, proof, event } = fieldsOf(given, path, ["position", "leaf", "personal", "proof", "event"]);
  demand(Number.isSafeInteger(position) && (position as number) >= 0, `${path}.position`);
  const leaf = fromBase64(leafText);
  demand(leaf && leaf.length > digestBytes, `${path}.leaf`);
  const personal = personalText === null ? null : fromBase64(personalText);
  demand(personal !== undefined && personal?.length !== 0, `${path}.personal`);
  return { position: position as number, leaf, personal, proof: proofOf(proof, `${path}.proof`), shown: event, path: `${path}.event` };
}

function jsonOf(text: string): unknown {
  if (text.length > receiptBytesMax || utf8(text).length > receiptBytesMax) throw new Refusal("malformed_receipt");
  try {
    return parseStrictly(text);
  } catch {
    throw new Refusal("malformed_receipt");
  }
}

// A reply of the API, or its data, which `pixledger prove` prints.
function parse(text: string): GivenReceipt {
  const whole = jsonOf(text);
  const isAnswer = isObject(whole) && Object.hasOwn(whole, "data");
  if (isAnswer) demand(fieldsOf(whole, "", ["success", "data"]).success === true, "success");
  const path = isAnswer ? "data" : "";
  const data = fieldsOf(isAnswer ? whole.data : whole, path, ["transactionId", "checkpoint", "events"]);
  const { transactionId, checkpoint, events } = data;
  demand(typeof transactionId === "string" && idForm.test(transactionId), pathOf(path, "transactionId"));
  demand(typeof checkpoint === "string", pathOf(path, "checkpoint"));
  demand(Array.isArray(events), pathOf(path, "events"));
  return { transactionId, checkpoint, events: events.map((each, i) => eventOf(each, `${pathOf(path, "events")}[${i}]`)) };
}

// The path of the first difference; events contain only objects within objects.
function difference(said: unknown, shown: unknown, path: string): string | undefined {
  if (!isObject(said) || !isObject(shown)) return Object.is(said, shown) ? undefined : path;
  for (const name of Object.keys(said)) {
    const at = pathOf(path, name);
    if (!Object.hasOwn(shown, name)) return at;
    const found = difference(said[name], shown[name], at);
    if (found !== undefined) return found;
  }
  const added = Object.keys(shown).find((name) => !Object.hasOwn(said, name));
  return added === undefined ? undefined : pathOf(path, added);
}

function read({ position, leaf, personal }: GivenEvent): StoredEvent {
  try {
    return readEvent(position, leaf.subarray(0, -digestBytes), personal);
  } catch (error) {
    if (!(error instanceof UnreadableBytes)) throw error;
    throw new Refusal("unreadable_event", String(position));
  }
}

function checkPlace(event: StoredEvent, transactionId: string, before: StoredEvent[]): void {
  const last = before.at(-1);
  const isDue =
    event.stream === `charge-${transactionId}` &&
    event.version === before.length + 1 &&
    (event.type === "ChargeCreated") === (last === undefined) &&
    (last ? event.position > last.position : event.data.transactionId === transactionId);
  if (!isDue) throw new Refusal("wrong_event", String(event.position));
}

async function checkEvent(given: GivenEvent, { transactionId }: GivenReceipt, checkpoint: Checkpoint, before: StoredEvent[]): Promise<StoredEvent> {
  const place = String(given.position);
  if (!(await isIncluded(given.leaf, given.position, checkpoint.size, given.proof, checkpoint.root))) throw new Refusal("not_included", place);
  if (given.personal && !isEqual(await sha256(given.personal), given.leaf.subarray(-digestBytes))) throw new Refusal("personal_data_differ", place);
  const event = read(given);
  checkPlace(event, transactionId, before);
  const field = difference(event, given.shown, given.path);
  if (field !== undefined) throw new Refusal("shown_differs", field);
  return event;
}

// Checks that the receipt has all events of the charge as of the checkpoint.
function checkLength({ transactionId, events }: GivenReceipt, { statesStreams, stream }: Checkpoint): void {
  if (!statesStreams) return; // of 0.1.0
  if (stream?.name !== `charge-${transactionId}`) throw new Refusal("incomplete", stream?.name ?? "");
  if (stream.events !== events.length) throw new Refusal("incomplete", `${events.length}/${stream.events}`);
}

// The number of events whose leaves show personal data that the receipt lacks.
async function countWithoutPersonal(events: GivenEvent[]): Promise<number> {
  const digestOfNothing = await sha256();
  return events.filter(({ leaf, personal }) => personal === null && !isEqual(leaf.subarray(-digestBytes), digestOfNothing)).length;
}

async function check(text: string, key: VerifierKey): Promise<Verified> {
  const given = parse(text);
  const checkpoint = await openCheckpoint(given.checkpoint, key);
  if (!checkpoint) throw new Refusal("not_signed");
  if (given.events.length === 0) throw new Refusal("wrong_event");
  const events: StoredEvent[] = [];
  for (const each of given.events) events.push(await checkEvent(each, given, checkpoint, events));
  checkLength(given, checkpoint);
  return {
    ok: true,
    transactionId: given.transactionId,
    status: statusAfter(events),
    events,
    streamLength: checkpoint.stream?.events ?? null,
    withoutPersonalData: await countWithoutPersonal(given.events),
    origin: checkpoint.origin,
    size: checkpoint.size,
    rootHash: toHex(checkpoint.root),
  };
}

/** Verifies a receipt's text. Needs `crypto.subtle`: https, localhost or a file. */
export async function verifyReceipt(text: string, key: VerifierKey): Promise<Verdict> {
  try {
    return await check(text, key);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ok: false, reason: error.reason, place: error.place };
  }
}
