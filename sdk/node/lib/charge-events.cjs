'use strict';

// The stored events of charges, from their bytes to the fields in a receipt. docs/reference/events.md is the
// source of every number here.

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
const centsOf = (cents) => (cents === null || cents >= 0 ? cents : unreadable('cents'));

const unappliedReturn = (facts, { reason }) => ({
  refundId: refundIdOf(facts.text(0)),
  endToEndId: endToEndIdOf(facts.text(1)),
  reason,
});

// By type: its name, and its fields, from its facts and the remaining personal data.
const types = {
  60: {
    name: 'ChargeCreated',
    data: (facts, { ip, metadata }, projectId) => ({
      transactionId: idOf(facts.text(0)),
      projectId,
      environment: given(environments[facts.uint8(1)], 'environment'),
      customerId: idOf(facts.text(2)),
      connectionId: idOf(facts.text(3)),
      externalId: facts.text(4) ?? null,
      amountCents: centsOf(facts.int64(5)),
      product: given(facts.text(6), 'product'),
      quantity: facts.uint32(7),
      originDomain: given(facts.text(8), 'origin_host'),
      expiresAt: timeOf(facts.int64(9)),
      pixCode: given(facts.text(10), 'pix_code'),
      customerIp: ip,
      ...(metadata && { metadata }),
      ...(facts.uint8(11) !== 0 && { throughBank: true }),
      ...(facts.int64(12, null) !== null && { codeAwaitedUntil: timeOf(facts.int64(12)) }),
      ...(facts.has(13) && { codeFallback: given(codeFallbacks[facts.uint8(13)], 'code_fallback') }),
      ...(facts.has(14) && { checkoutSessionId: idOf(facts.text(14)) }),
    }),
  },
  61: {
    name: 'ChargePaid',
    data: (facts) => ({
      endToEndId: endToEndIdOf(facts.text(0)),
      amountCents: centsOf(facts.int64(1)),
      paidAt: timeOf(facts.int64(2)),
      feeCents: centsOf(facts.int64(3, null)),
    }),
  },
  62: { name: 'ChargeProcessingStarted', data: () => ({}) },
  63: { name: 'ChargeExpired', data: () => ({}) },
  64: { name: 'ChargeCancelled', data: () => ({}) },
  65: { name: 'ChargeFailed', data: (facts, { reason }) => ({ reason }) },
  66: {
    name: 'ChargeRefunded',
    data: (facts, { reason }) => ({
      amountCents: centsOf(facts.int64(0)),
      reason,
      ...(facts.text(1) !== undefined && { refundId: refundIdOf(facts.text(1)) }),
    }),
  },
  67: {
    name: 'PaymentLeftUnapplied',
    data: (facts) => ({
      endToEndId: endToEndIdOf(facts.text(0)),
      amountCents: centsOf(facts.int64(1)),
      paidAt: timeOf(facts.int64(2)),
      flag: given(flags[facts.uint8(3)], 'flag'),
    }),
  },
  68: {
    name: 'UnappliedPaymentAccepted',
    data: (facts) => ({ endToEndId: endToEndIdOf(facts.text(0)), feeCents: centsOf(facts.int64(1, null)) }),
  },
  69: {
    name: 'UnappliedPaymentReturned',
    data: (facts, { reason }) => ({
      endToEndId: endToEndIdOf(facts.text(0)),
      reason,
      ...(facts.text(1) !== undefined && { refundId: refundIdOf(facts.text(1)) }),
      ...(facts.int64(2, null) !== null && { returnedAt: timeOf(facts.int64(2)) }),
    }),
  },
  70: {
    name: 'ChargeCodeSet',
    data: (facts) => ({
      kind: given(codeKinds[facts.uint8(0)], 'kind'),
      pixCode: given(facts.text(1), 'pix_code'),
    }),
  },
  71: { name: 'ChargeCancelRequested', data: () => ({}) },
  72: { name: 'ChargeCancelDropped', data: () => ({}) },
  73: {
    name: 'RefundRequested',
    data: (facts, { reason }) => ({
      refundId: refundIdOf(facts.text(0)),
      amountCents: centsOf(facts.int64(1)),
      reason,
      ...(facts.text(2) !== undefined && { endToEndId: endToEndIdOf(facts.text(2)) }),
    }),
  },
  74: {
    name: 'RefundDone',
    data: (facts) => ({ refundId: refundIdOf(facts.text(0)), settledAt: timeOf(facts.int64(1)) }),
  },
  75: { name: 'RefundFailed', data: (facts) => ({ refundId: refundIdOf(facts.text(0)) }) },
  76: {
    name: 'PaymentReversed',
    data: (facts) => ({
      refundId: refundIdOf(facts.text(0)),
      returnId: returnIdOf(facts.text(1)),
      amountCents: centsOf(facts.int64(2)),
      reversedAt: timeOf(facts.int64(3)),
      ...(facts.text(4) !== undefined && { endToEndId: endToEndIdOf(facts.text(4)) }),
    }),
  },
  77: { name: 'UnappliedReturnRequested', data: unappliedReturn },
  78: { name: 'UnappliedReturnFailed', data: unappliedReturn },
  79: {
    name: 'UnappliedPaymentReversed',
    data: (facts) => ({
      endToEndId: endToEndIdOf(facts.text(0)),
      refundId: refundIdOf(facts.text(1)),
      returnId: returnIdOf(facts.text(2)),
      amountCents: centsOf(facts.int64(3)),
      reversedAt: timeOf(facts.int64(4)),
    }),
  },
  81: {
    name: 'UnappliedPaymentAdded',
    data: (facts) => ({ endToEndId: endToEndIdOf(facts.text(0)), feeCents: centsOf(facts.int64(1, null)) }),
  },
};

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
  const type = given(types[envelope.uint16(3)], 'type');
  const projectId = idOf(envelope.text(5));
  const facts = new FlatTable(given(envelope.vector(8), 'facts'));
  return {
    position,
    stream: given(envelope.text(1), 'stream'),
    version: envelope.uint32(2),
    type: type.name,
    recordedAt: timeOf(envelope.int64(0)),
    actor: given(envelope.text(6), 'actor'),
    requestId: envelope.text(7) || null,
    data: type.data(facts, personalOf(personalBytes), projectId),
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
