// Receipts of every kind of event. events.json has the bytes of tests/eventstore/golden, and what is shown of them: what
// `pixledger check-proof` of 0.2.0 accepts.
import { readFileSync } from 'node:fs';
import { forge, forgerLine, withVersion } from './forger.mjs';

const golden = JSON.parse(readFileSync(new URL('events.json', import.meta.url)));
const named = new Map(golden.map((each) => [each.name, each]));
const transactionId = 'cmb3k9x2a0001log1m2v7c4tz';

// As event number `version` of the charge.
function at(version, name) {
  const { envelope, personal, event } = named.get(name);
  const parts = {
    envelope: withVersion(Buffer.from(envelope, 'base64'), version),
    personal: personal && Buffer.from(personal, 'base64'),
  };
  return [parts, { ...event, version }];
}

function vector(name, status, events) {
  const receipt = forge(
    transactionId,
    events.map((each, i) => at(i + 1, each)),
  );
  const [origin, size, root] = receipt.checkpoint.split('\n');
  const result = {
    ok: true,
    transactionId,
    status,
    events: receipt.events.map(({ event }) => event),
    streamLength: null,
    withoutPersonalData: 0,
    origin,
    size: Number(size),
    rootHash: Buffer.from(root, 'base64').toString('hex'),
  };
  return {
    name: `event: ${name}`,
    kind: 'verify_receipt',
    input: { receipt: JSON.stringify(receipt), publicKey: forgerLine },
    options: {},
    expect: { result },
  };
}

const isCreation = (name) => name.startsWith('ChargeCreated');
const alone = golden.map(({ name, status }) =>
  vector(name, status, isCreation(name) ? [name] : ['ChargeCreated', name]),
);

// Amounts: paid 12345, or 1 (least); unapplied 12000; refunds and reversals 5000, or 1 (least).
const chains = [
  ['a refund that is done, of a part', 'paid', 'ChargePaid', 'RefundRequested', 'RefundDone'],
  ['a refund that is done, of all', 'refunded', 'ChargePaid-least', 'RefundRequested-least', 'RefundDone'],
  ['a refund that is only requested', 'paid', 'ChargePaid-least', 'RefundRequested-least'],
  ['a refund that failed', 'paid', 'ChargePaid-least', 'RefundRequested-least', 'RefundFailed'],
  ['a reversal of all', 'refunded', 'ChargePaid-least', 'PaymentReversed'],
  ['a reversal of a part', 'paid', 'ChargePaid', 'PaymentReversed'],
  ['refunds that add up', 'refunded', 'ChargePaid', 'ChargeRefunded', 'ChargeRefunded', 'PaymentReversed'],
  ['an unapplied payment that is accepted', 'paid', 'PaymentLeftUnapplied', 'UnappliedPaymentAccepted'],
  [
    'an unapplied payment that was returned',
    'waiting_payment',
    'PaymentLeftUnapplied',
    'UnappliedPaymentReturned',
    'UnappliedPaymentAccepted',
  ],
  [
    'a payment that is added, and a refund',
    'paid',
    'ChargePaid-least',
    'PaymentLeftUnapplied',
    'UnappliedPaymentAdded',
    'ChargeRefunded',
  ],
  ['a payment after the expiry', 'paid', 'ChargeExpired', 'PaymentLeftUnapplied', 'UnappliedPaymentAccepted'],
].map(([name, status, ...events]) => vector(name, status, ['ChargeCreated', ...events]));

export default [...alone, ...chains];
