'use strict';

const { createHash } = require('node:crypto');
const { bytesFromBase64 } = require('./base64.cjs');
const { readEvent, statusAfter } = require('./charge-events.cjs');
const { openCheckpoint, parsePublicKey } = require('./checkpoint.cjs');
const { UnreadableBytes } = require('./flat.cjs');
const { isIncluded } = require('./merkle.cjs');
const { parseStrictly } = require('./strict-json.cjs');

const receiptBytesMax = 64 * 1024 * 1024;
const digestBytes = 32;
const proofHashesMax = 64;
const plainName = /^[0-9A-Za-z_]{1,64}$/;
const digestOfNothing = createHash('sha256').digest();
const idForm = /^[cC][^\u0000-\u0020\u007f-]{8,63}$/;

class Refusal extends Error {
  constructor(reason, message) {
    super(message);
    this.reason = reason;
  }
}
const refuse = (reason, message) => {
  throw new Refusal(reason, message);
};
const demand = (condition, problem) => condition || refuse('malformed_receipt', `It is not a receipt: ${problem}.`);

// Every input is read as text, so that all are checked alike, and none can change while it is read.
function textOf(receipt) {
  if (typeof receipt === 'string') return receipt;
  if (receipt instanceof Uint8Array) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(receipt);
  return JSON.stringify(receipt);
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

// A name unlike ours is not repeated: it may have any content and length.
const pathOf = (parent, name) => `${parent && `${parent}.`}${plainName.test(name) ? name : '…'}`;

// An object with exactly these fields: others would look as proven as they are.
function demandFields(value, path, names) {
  demand(isObject(value), `${path || 'it'} must be an object`);
  for (const name of names) demand(Object.hasOwn(value, name), `${pathOf(path, name)} is missing`);
  for (const name of Object.keys(value))
    demand(names.includes(name), `${pathOf(path, name)} is no field of a receipt`);
}

function eventOf(given, path) {
  demandFields(given, path, ['position', 'leaf', 'personal', 'proof', 'event']);
  const leaf = bytesFromBase64(given.leaf);
  const personal = given.personal === null ? null : bytesFromBase64(given.personal);
  const proof = Array.isArray(given.proof) && given.proof.length <= proofHashesMax && given.proof.map(bytesFromBase64);
  demand(Number.isSafeInteger(given.position) && given.position >= 0, `${path}.position must be a position: 1, 2, 3, …`);
  demand(leaf && leaf.length > digestBytes, `${path}.leaf must be a leaf in base64`);
  demand(personal !== undefined && personal?.length !== 0, `${path}.personal must be null, or bytes in base64`);
  demand(
    proof && proof.every((hash) => hash?.length === digestBytes),
    `${path}.proof must be a list of at most ${proofHashesMax} hashes in base64`,
  );
  return { position: given.position, leaf, personal, proof, shown: given.event, path: `${path}.event` };
}

function jsonOf(receipt) {
  try {
    const text = textOf(receipt);
    if (Buffer.byteLength(text) <= receiptBytesMax) return parseStrictly(text);
  } catch {
    // Neither JSON nor representable in JSON.
  }
  return demand(false, 'it is not JSON, or too long, or has a name twice in an object');
}

function parse(receipt) {
  const whole = jsonOf(receipt);
  const isAnswer = isObject(whole) && Object.hasOwn(whole, 'data');
  if (isAnswer) {
    demandFields(whole, '', ['success', 'data']);
    demand(whole.success === true, 'success must be true');
  }
  const [data, path] = isAnswer ? [whole.data, 'data'] : [whole, ''];
  demandFields(data, path, ['transactionId', 'checkpoint', 'events']);
  const { transactionId, checkpoint, events } = data;
  demand(typeof transactionId === 'string' && idForm.test(transactionId), `${pathOf(path, 'transactionId')} must be an id`);
  demand(typeof checkpoint === 'string', `${pathOf(path, 'checkpoint')} must be a text`);
  demand(Array.isArray(events), `${pathOf(path, 'events')} must be a list`);
  return { transactionId, checkpoint, events: events.map((each, i) => eventOf(each, `${pathOf(path, 'events')}[${i}]`)) };
}

// The path of the first field that differs; an event has objects in objects only.
function difference(said, shown, path) {
  if (!isObject(said) || !isObject(shown)) return Object.is(said, shown) ? undefined : path;
  for (const name of Object.keys(said)) {
    const at = pathOf(path, name);
    if (!Object.hasOwn(shown, name)) return at;
    const found = difference(said[name], shown[name], at);
    if (found) return found;
  }
  const added = Object.keys(shown).find((name) => !Object.hasOwn(said, name));
  return added === undefined ? undefined : pathOf(path, added);
}

function read({ position, leaf, personal }, where) {
  try {
    return readEvent(position, leaf.subarray(0, -digestBytes), personal);
  } catch (error) {
    if (!(error instanceof UnreadableBytes)) throw error;
    return refuse('unreadable_event', `${where} means nothing to this release.`);
  }
}

function checkPlace(event, transactionId, before, where) {
  const isFirst = before.length === 0;
  if (event.stream !== `charge-${transactionId}`) refuse('wrong_event', `${where} belongs to ${event.stream}.`);
  if (event.version !== before.length + 1)
    refuse('wrong_event', `${where} is event ${event.version} of its charge, where event ${before.length + 1} was due.`);
  if ((event.type === 'ChargeCreated') !== isFirst || (isFirst && event.data.transactionId !== transactionId))
    refuse('wrong_event', `${where} is one that no charge has there.`);
  if (!isFirst && event.position <= before.at(-1).position)
    refuse('wrong_event', `${where} is before the event in front of it.`);
}

function checkEvent(given, { transactionId }, checkpoint, before) {
  const where = `The event at position ${given.position}`;
  if (!isIncluded(given.leaf, given.position, checkpoint.size, given.proof, checkpoint.root))
    refuse('not_included', `${where} is not what the ledger has there.`);
  const digest = given.leaf.subarray(-digestBytes);
  if (given.personal && !createHash('sha256').update(given.personal).digest().equals(digest))
    refuse('personal_data_differ', `${where} was recorded with other personal data.`);
  const event = read(given, where);
  checkPlace(event, transactionId, before, where);
  const field = difference(event, given.shown, given.path);
  if (field) refuse('shown_differs', `${field} is not what the bytes of the event say.`);
  return event;
}

// Checks that all events that the charge had in the tree of the checkpoint are present.
function checkLength({ transactionId, events }, { statesStreams, stream }) {
  if (!statesStreams) return; // of 0.1.0
  if (stream === null) refuse('incomplete', 'Its checkpoint was not signed for a receipt: it does not state how many events there are.');
  if (stream.name !== `charge-${transactionId}`) refuse('incomplete', `Its checkpoint was signed for the receipt of ${stream.name}.`);
  if (stream.events !== events.length)
    refuse('incomplete', `It has ${events.length} of the charge's events, and its checkpoint was signed for ${stream.events}.`);
}

// The leaf says that there was personal data.
const lacksPersonal = ({ leaf, personal }) =>
  personal === null && !leaf.subarray(-digestBytes).equals(digestOfNothing);

function check(receipt, key, expectedId) {
  const given = parse(receipt);
  const checkpoint = openCheckpoint(given.checkpoint, key);
  if (!checkpoint) refuse('not_signed', 'Its checkpoint is not signed by that key.');
  if (expectedId !== undefined && given.transactionId !== expectedId)
    refuse('other_transaction', `It is the receipt of ${given.transactionId}.`);
  if (given.events.length === 0) refuse('wrong_event', 'It has no events.');
  const events = [];
  for (const each of given.events) events.push(checkEvent(each, given, checkpoint, events));
  checkLength(given, checkpoint);
  return {
    ok: true,
    transactionId: given.transactionId,
    status: statusAfter(events),
    events,
    streamLength: checkpoint.stream?.events ?? null,
    withoutPersonalData: given.events.filter(lacksPersonal).length,
    origin: checkpoint.origin,
    size: checkpoint.size,
    rootHash: checkpoint.root.toString('hex'),
  };
}

/**
 * Whether a receipt's events are those of its transaction, and in the ledger whose key signed it. See index.d.cts.
 */
function verifyReceipt(receipt, publicKey, options = {}) {
  const key = parsePublicKey(publicKey);
  if (typeof receipt !== 'string' && (receipt === null || typeof receipt !== 'object'))
    throw new TypeError('receipt must be a receipt: its text, its bytes, or what they were parsed to');
  try {
    return check(receipt, key, options.transactionId);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ok: false, reason: error.reason, message: error.message };
  }
}

/** What a checkpoint says, if the key has signed it. See index.d.cts. */
function verifyCheckpoint(checkpoint, publicKey) {
  const key = parsePublicKey(publicKey);
  if (typeof checkpoint !== 'string') throw new TypeError('checkpoint must be the text of a checkpoint');
  const opened = openCheckpoint(checkpoint, key);
  if (!opened) return { ok: false, reason: 'not_signed', message: 'It is not signed by that key.' };
  const { origin, size, root, stream } = opened;
  return { ok: true, origin, size, rootHash: root.toString('hex'), stream };
}

module.exports = { verifyCheckpoint, verifyReceipt };
