'use strict';

// The stored events of charges, from their bytes to the fields in a receipt.

const chargeEvents = require('./charge-event-fields.cjs');
const { FlatTable, unreadable } = require('./flat.cjs');

const newestSchemaVersion = 1;
const saltBytes = 16;
const lastTime = Date.parse('9999-12-31T23:59:59.999Z');
const environments = ['live', 'sandbox'];
const codeKinds = [undefined, 'dynamic', 'static'];
const codeFallbacks = [undefined, 'static', 'none'];
const flags = [undefined, 'PAID_AFTER_EXPIRY', 'PAID_AFTER_CLOSE', 'DUPLICATE_PAYMENT', 'AMOUNT_MISMATCH'];

const given = (value, what) => (value === undefined ? unreadable(what) : value);
const matching = (form) => (text) => (form.test(given(text, 'text')) ? text : unreadable('text'));
const idOf = matching(/^[cC][^\u0000-\u0020\u007f-]{8,63}$/);
const endToEndIdOf = matching(/^[0-9A-Za-z]{32}$/);
const refundIdOf = matching(/^[0-9A-Za-z]{1,35}$/);
const returnIdOf = matching(/^[0-9A-Za-z]{32}$/);
const timeOf = (millis) => (millis >= 0 && millis <= lastTime ? new Date(millis).toISOString() : unreadable('time'));
const centsOf = (cents) => (cents >= 0 ? cents : unreadable('cents'));

// By form, in a receipt's words.
const readers = {
  id: (facts, place) => idOf(facts.text(place)),
  endToEndId: (facts, place) => endToEndIdOf(facts.text(place)),
  refundId: (facts, place) => refundIdOf(facts.text(place)),
  returnId: (facts, place) => returnIdOf(facts.text(place)),
  text: (facts, place) => given(facts.text(place), 'text'),
  uint32: (facts, place) => facts.uint32(place),
  bool: (facts, place) => facts.uint8(place) !== 0 || null,
  cents: (facts, place) => centsOf(facts.int64(place)),
  time: (facts, place) => timeOf(facts.int64(place)),
  environment: (facts, place) => given(environments[facts.uint8(place)], 'environment'),
  codeKind: (facts, place) => given(codeKinds[facts.uint8(place)], 'code_kind'),
  codeFallback: (facts, place) => given(codeFallbacks[facts.uint8(place)], 'code_fallback'),
  flag: (facts, place) => given(flags[facts.uint8(place)], 'flag'),
};

// `personal` has the project, too: what is not among the facts, by its form.
function dataOf(fields, facts, personal) {
  const data = {};
  for (const [name, form, place, absent] of fields) {
    const isAbsent = place >= 0 && absent !== 'required' && !facts.has(place);
    const value = place < 0 ? personal[form] : isAbsent ? null : readers[form](facts, place);
    if (value !== null || absent !== 'left out') data[name] = value;
  }
  return data;
}

function metadataOf(entries) {
  if (entries === undefined) return null;
  // Unordered, with any names: JSON objects are compared by name.
  const pairs = entries.map((entry) => [given(entry.text(0), 'key'), given(entry.text(1), 'value')]);
  if (new Set(pairs.map(([key]) => key)).size !== pairs.length) unreadable('metadata');
  return Object.fromEntries(pairs);
}

function personalOf(bytes) {
  if (bytes === null) return { ip: null, reason: null, metadata: null };
  const table = new FlatTable(bytes);
  if (table.vector(0)?.length !== saltBytes) unreadable('salt');
  return { ip: table.text(2) ?? null, reason: table.text(3) ?? null, metadata: metadataOf(table.tables(6)) };
}

/** What the bytes of an envelope and of its personal data (null: none) say. Throws UnreadableBytes. */
function readEvent(position, envelopeBytes, personalBytes) {
  const envelope = new FlatTable(envelopeBytes);
  const schemaVersion = envelope.uint16(4);
  if (schemaVersion === 0 || schemaVersion > newestSchemaVersion) unreadable('schema_version');
  const [type, fields] = given(chargeEvents[envelope.uint16(3)], 'type');
  const project = idOf(envelope.text(5));
  const facts = new FlatTable(given(envelope.vector(8), 'facts'));
  return {
    position,
    stream: given(envelope.text(1), 'stream'),
    version: envelope.uint32(2),
    type,
    recordedAt: timeOf(envelope.int64(0)),
    actor: given(envelope.text(6), 'actor'),
    requestId: envelope.text(7) || null,
    data: dataOf(fields, facts, { ...personalOf(personalBytes), project }),
  };
}

/** The status that the events, in their order, come to. */
function statusAfter(events) {
  let status;
  let paidCents;
  let refundedCents = 0;
  const unappliedCents = new Map(); // by end-to-end id
  const requestedCents = new Map(); // of refunds, by their ids
  const refunded = (cents) => {
    refundedCents += cents;
    return refundedCents >= paidCents ? 'refunded' : status;
  };
  const changes = {
    ChargeCreated: () => 'waiting_payment',
    ChargePaid: ({ amountCents }) => {
      paidCents = amountCents;
      return 'paid';
    },
    ChargeProcessingStarted: () => 'processing',
    ChargeExpired: () => 'expired',
    ChargeCancelled: () => 'cancelled',
    ChargeFailed: () => 'failed',
    ChargeRefunded: ({ amountCents }) => refunded(amountCents),
    PaymentReversed: ({ amountCents }) => refunded(amountCents),
    RefundRequested: ({ refundId, amountCents }) => {
      requestedCents.set(refundId, amountCents);
      return status;
    },
    RefundDone: ({ refundId }) => refunded(requestedCents.get(refundId) ?? 0),
    RefundFailed: () => status,
    UnappliedReturnRequested: () => status,
    UnappliedReturnFailed: () => status,
    UnappliedPaymentReversed: () => status,
    ChargeCodeSet: () => status,
    ChargeCancelRequested: () => status,
    ChargeCancelDropped: () => status,
    PaymentLeftUnapplied: ({ endToEndId, amountCents }) => {
      unappliedCents.set(endToEndId, amountCents);
      return status;
    },
    UnappliedPaymentAccepted: ({ endToEndId }) => {
      if (!unappliedCents.has(endToEndId)) return status;
      paidCents = unappliedCents.get(endToEndId);
      unappliedCents.delete(endToEndId);
      return 'paid';
    },
    UnappliedPaymentAdded: ({ endToEndId }) => {
      paidCents += unappliedCents.get(endToEndId) ?? 0;
      unappliedCents.delete(endToEndId);
      return status;
    },
    UnappliedPaymentReturned: ({ endToEndId }) => {
      unappliedCents.delete(endToEndId);
      return status;
    },
  };
  for (const { type, data } of events) status = changes[type](data);
  return status;
}

module.exports = { readEvent, statusAfter };
