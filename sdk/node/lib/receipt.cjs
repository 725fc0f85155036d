'use strict';

const { createHash } = require('node:crypto');
const { isDeepStrictEqual } = require('node:util');
const { bytesFromBase64 } = require('./base64.cjs');
const { readEvent, statusAfter } = require('./charge-events.cjs');
const { openCheckpoint, parsePublicKey } = require('./checkpoint.cjs');
const { UnreadableBytes } = require('./flat.cjs');
const { isIncluded } = require('./merkle.cjs');
const { parseStrictly } = require('./strict-json.cjs');

const receiptBytesMax = 64 * 1024 * 1024;
const digestBytes = 32;
const proofHashesMax = 64;
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
const demand = (condition) => condition || refuse('malformed_receipt', 'It is not a receipt.');

// Whatever comes is read as text, so that the same is checked, and nothing can change while it is read.
function textOf(receipt) {
  if (typeof receipt === 'string') return receipt;
  if (receipt instanceof Uint8Array) return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(receipt);
  return JSON.stringify(receipt);
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

function eventOf(given) {
  demand(isObject(given) && Object.hasOwn(given, 'event') && Object.hasOwn(given, 'personal'));
  const leaf = bytesFromBase64(given.leaf);
  const personal = given.personal === null ? null : bytesFromBase64(given.personal);
  demand(Number.isSafeInteger(given.position) && given.position >= 0);
  demand(leaf && leaf.length > digestBytes && personal !== undefined && personal?.length !== 0);
  demand(Array.isArray(given.proof) && given.proof.length <= proofHashesMax);
  const proof = given.proof.map(bytesFromBase64);
  demand(proof.every((hash) => hash?.length === digestBytes));
  return { position: given.position, leaf, personal, proof, shown: given.event };
}

function parse(receipt) {
  let whole;
  try {
    const text = textOf(receipt);
    if (Buffer.byteLength(text) <= receiptBytesMax) whole = parseStrictly(text);
  } catch {
    // Neither JSON nor what JSON can say.
  }
  demand(isObject(whole));
  const data = Object.hasOwn(whole, 'data') ? whole.data : whole;
  demand(isObject(data) && typeof data.checkpoint === 'string' && Array.isArray(data.events));
  demand(typeof data.transactionId === 'string' && idForm.test(data.transactionId));
  return { transactionId: data.transactionId, checkpoint: data.checkpoint, events: data.events.map(eventOf) };
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
  if (!isDeepStrictEqual(event, given.shown))
    refuse('shown_differs', `${where} is shown otherwise than its bytes say.`);
  return event;
}

function check(receipt, key, expectedId) {
  const given = parse(receipt);
  const checkpoint = openCheckpoint(given.checkpoint, key);
  if (!checkpoint) refuse('not_signed', 'Its checkpoint is not signed by that key.');
  if (expectedId !== undefined && given.transactionId !== expectedId)
    refuse('other_transaction', `It is the receipt of ${given.transactionId}.`);
  if (given.events.length === 0) refuse('wrong_event', 'It has no events.');
  const events = [];
  for (const each of given.events) events.push(checkEvent(each, given, checkpoint, events));
  return {
    ok: true,
    transactionId: given.transactionId,
    status: statusAfter(events),
    events,
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

module.exports = { verifyReceipt };
