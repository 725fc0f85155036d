// The tables of the interface, written down once more by hand, against real answers: each field with its
// type, none missing and none besides. What this service adds to a table is marked. Environment:
//   PIXLEDGER_BIN_DIR  where pixledger and pixledger-server are (required)
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Merchant } from './api/merchant.mjs';

// --- types: a sentence on what is wrong, or nothing ---

const matches = (pattern) => (value) =>
  typeof value === 'string' && pattern.test(value) ? undefined : `is not like ${pattern}`;
const string = (value) => (typeof value === 'string' ? undefined : 'is not a string');
const integer = (value) => (Number.isSafeInteger(value) ? undefined : 'is not an integer');
const boolean = (value) => (typeof value === 'boolean' ? undefined : 'is not a boolean');
const cuid = matches(/^[cC][^\s-]{8,}$/);
const time = matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const orNull = (type) => (value) => (value === null ? undefined : type(value));
const oneOf =
  (...values) =>
  (value) =>
    values.includes(value) ? undefined : `is not one of ${values}`;
const environment = oneOf('live', 'sandbox');
const status = oneOf('waiting_payment', 'processing', 'paid', 'expired', 'cancelled', 'refunded', 'failed');

function object(fields) {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not an object';
    const wrong = [...new Set([...Object.keys(fields), ...Object.keys(value)])].flatMap((name) => {
      if (!(name in value)) return [`${name} is missing`];
      if (!(name in fields)) return [`${name} is in no table`];
      const problem = fields[name](value[name]);
      return problem ? [`${name} ${problem}`] : [];
    });
    return wrong.length > 0 ? `{${wrong.join('; ')}}` : undefined;
  };
}

const array = (item) => (value) => {
  if (!Array.isArray(value)) return 'is not an array';
  if (value.length === 0) return 'is empty, which proves nothing';
  const wrong = value.map(item).flatMap((problem, i) => (problem ? [`[${i}] ${problem}`] : []));
  return wrong.length > 0 ? wrong.join('; ') : undefined;
};

const texts = (value) =>
  value !== null && typeof value === 'object' && Object.values(value).every((text) => typeof text === 'string')
    ? undefined
    : 'is not an object of texts';

// --- the tables ---

const meta = object({ total: integer, page: integer, limit: integer, totalPages: integer, timezone: string });

const money = {
  paidAmountCents: orNull(integer),
  feeCents: orNull(integer),
  netCents: orNull(integer),
  refundedAmountCents: integer,
  unappliedAmountCents: integer,
};
const listItem = {
  id: cuid,
  externalId: string,
  transactionCode: orNull(string),
  status,
  environment, // added
  amountCents: integer,
  product: string,
  quantity: integer,
  paidAt: orNull(time),
  ...money, // added
  createdAt: time,
  updatedAt: time,
  customer: object({ id: cuid, name: string, email: string }),
  metadata: texts, // added
};
const connection = object({ id: cuid, alias: string, providerId: string, providerName: string });
const itemV1 = object({
  ...listItem,
  connection,
  originDomain: string,
  customerEmail: string,
  customerName: string,
});
const item = object({ ...listItem, gateway: connection, domain: orNull(object({ id: cuid, host: string })) });

const statusCheck = (unappliedPayments) =>
  object({
    id: cuid,
    externalId: string,
    transactionCode: orNull(string),
    pixCode: string,
    expirationDate: time,
    status,
    environment, // added
    amountCents: integer,
    product: string,
    quantity: integer,
    paidAt: orNull(time),
    refundedAt: orNull(time),
    createdAt: time,
    updatedAt: time,
    customer: object({ id: cuid, name: string, document: string, email: string, phone: string }),
    ...money, // added
    metadata: texts, // added
    unappliedPayments, // added
    refundsMoveMoney: boolean, // added
    refunds: noPayments, // added
  });
const noPayments = (value) =>
  Array.isArray(value) && value.length === 0 ? undefined : 'is not an empty array';
const payments = array(
  object({
    endToEndId: string,
    amountCents: integer,
    paidAt: time,
    receivedAt: time,
    flag: oneOf('AMOUNT_MISMATCH'),
    isReturning: boolean,
    returnedAt: orNull(time),
  }),
);

const customerItem = {
  id: cuid,
  environment, // added
  name: string,
  document: string,
  phone: string,
  email: string,
  street: string,
  streetNumber: string,
  neighborhood: string,
  complement: orNull(string),
  zipCode: string,
  city: string,
  state: string,
  country: string,
  metadata: texts, // added
  isBlocked: boolean,
  createdAt: time,
  updatedAt: time,
};
const customerDetail = {
  ...customerItem,
  projectId: cuid,
  blockedAt: orNull(time),
  blockedReason: orNull(string),
  blockExpiresAt: orNull(time),
  blockType: orNull(oneOf('manual', 'fraud')),
  recentTransactions: array(
    object({
      id: cuid,
      amountCents: integer,
      status,
      environment, // added
      product: string,
      createdAt: time,
      paidAt: orNull(time),
      ...money, // added
    }),
  ),
  totalTransactions: integer,
};
const fraudEvents = array(
  object({
    id: cuid,
    reason: string,
    fraudType: string,
    amountCents: integer,
    product: string,
    createdAt: time,
    customerIp: orNull(string), // added
  }),
);

const store = object({
  id: cuid,
  name: string,
  devMode: boolean,
  pixExpirationMinutes: integer,
  maxTransactionAmountCents: integer,
  // added
  pixKey: orNull(matches(/^[^*]+\*+[^*]+$/)),
  merchantName: string,
  merchantCity: string,
  verifyDocuments: boolean,
  feeFixedCents: integer,
  feeBasisPoints: integer,
  contact: orNull(string),
  timezone: string,
  logo: orNull(string),
  color: orNull(string),
  supportContact: orNull(string),
  embedOrigins: array(string),
  payerProofs: boolean,
  returnPublicKey: string,
});
const anything = () => undefined;
const event = object({
  id: string,
  event: matches(/^[a-z_]+\.[a-z_]+$/),
  environment: orNull(environment),
  transactionId: orNull(cuid),
  customerId: orNull(cuid),
  occurredAt: time,
  data: anything,
});
// All below is added.
const eventOfCharge = object({
  id: string,
  event: matches(/^(transaction|payment)\.[a-z_]+$/),
  environment,
  transactionId: cuid,
  customerId: cuid,
  occurredAt: time,
  actor: string,
  requestId: orNull(string),
  data: anything,
});
const number = (value) => (typeof value === 'number' ? undefined : 'is not a number');
const sums = {
  created: integer,
  createdCents: integer,
  converted: integer,
  paid: integer,
  paidCents: integer,
  refundedCents: integer,
  timeToPayP50Seconds: orNull(integer),
  timeToPayP90Seconds: orNull(integer),
};
const stats = object({
  days: array(object({ day: matches(/^\d{4}-\d\d-\d\d$/), ...sums })),
  totals: object({
    ...sums,
    conversion: orNull(number),
    unappliedCount: integer,
    unappliedCents: integer,
    unmatchedCount: integer,
    unmatchedCents: integer,
    failingChannels: integer,
    activeChannels: integer,
    untriedChannels: integer,
  }),
});
const finds = object({ transactions: array(itemV1), customers: array(object(customerItem)), payments: (value) => (Array.isArray(value) ? undefined : 'is not an array') });
const failedCalls = object({
  groups: array(
    object({ code: string, field: orNull(string), status: integer, count: integer, lastAt: time, method: string, route: string, environment }),
  ),
  recent: array(
    object({
      at: time,
      method: string,
      route: string,
      status: integer,
      code: string,
      fields: (value) => (Array.isArray(value) ? undefined : 'is not an array'),
      requestId: string,
      keyId: orNull(string),
      userId: orNull(string),
      environment,
    }),
  ),
});
const bankConnection = object({
  id: cuid,
  alias: string,
  providerId: string,
  providerName: string,
  environment,
  isDefault: boolean,
  isEnabled: boolean,
  state: orNull(oneOf('ok', 'behind', 'left_alone', 'unknown')),
  lastPollAt: orNull(time),
  certificateEndsAt: orNull(time),
  breakerOpen: orNull(boolean),
});
const channelStats = object({
  hours: array(object({ hour: time, delivered: integer, failed: integer })),
  delivered: integer,
  failed: integer,
  pending: integer,
  latencyP50Ms: orNull(integer),
  latencyP95Ms: orNull(integer),
  errors: (value) => (Array.isArray(value) ? undefined : 'is not an array'),
  completeSince: time,
});
const wouldSend = object({ headers: texts, body: string });
const preview = object({ event: string, isSample: boolean, v1: orNull(wouldSend), v2: wouldSend });
const created = object({
  id: cuid,
  status: oneOf('waiting_payment'),
  amountCents: integer, // added
  pixCode: string,
  qrCode: matches(/^\/api\/v1\/transactions\/c[0-9a-z]{24}\/qr\.svg$/), // added
  expirationDate: time,
  environment,
});
const paid = object({ transactionId: cuid, status: oneOf('paid'), paidAt: time });

// --- real answers ---

const merchant = await Merchant.open();
after(() => merchant.close());

async function shows(table, operation, request) {
  const { json, body } = await merchant.call(operation, request);
  assert.equal(json.success, true, body);
  assert.equal(table(json.data), undefined, `data of ${operation}: ${body}`);
  return json;
}

test('a creation, and a simulated payment', async () => {
  const { data } = await shows(created, 'createTransaction', { body: merchant.newCharge() });
  await shows(paid, 'simulatePayment', { id: data.id });
});

for (const operation of ['getTransactionV1', 'getTransaction']) {
  test(`the status check of ${operation}, waiting and paid`, async () => {
    await shows(statusCheck(noPayments), operation, { id: await merchant.createCharge() });
    await shows(statusCheck(noPayments), operation, { id: await merchant.createPaidCharge() });
  });
}

test('the status check of a charge with money that does not fit it', async () => {
  const id = await merchant.createCharge({ key: merchant.project.liveKey });
  const confirm = ['charge', 'confirm', '--id', id, '--amount-cents', '1', '--end-to-end-id', 'E12345678202601311200abcdefghijk'];
  await assert.rejects(merchant.service.pixledger(...confirm), { code: 1 }); // flagged
  await shows(statusCheck(payments), 'getTransactionV1', { id, key: merchant.project.liveKey });
});

for (const [operation, table] of [
  ['listTransactionsV1', itemV1],
  ['listTransactions', item],
]) {
  test(`the items and the meta of ${operation}, waiting and paid`, async () => {
    await merchant.createCharge();
    await merchant.createPaidCharge();
    assert.equal(meta((await shows(array(table), operation)).meta), undefined);
  });
}

test('a customer, saved', async () => {
  for (const operation of ['saveCustomerV1', 'saveCustomer'])
    await shows(object(customerItem), operation, { body: merchant.newCustomer() });
});

test('the items and the meta of the customer lists', async () => {
  await merchant.createCustomer();
  for (const operation of ['listCustomersV1', 'listCustomers'])
    assert.equal(meta((await shows(array(object(customerItem)), operation)).meta), undefined);
});

test('a customer by id, free and blocked', async () => {
  const charge = merchant.newCharge();
  const { id } = await merchant.expect(201, 'createTransaction', { body: charge });
  const { customer } = await merchant.expect(200, 'getTransactionV1', { id });
  const blocked = { blockType: 'fraud', reason: 'chargeback', expiresAt: '2099-12-31T00:00:00Z' };
  await shows(object(customerDetail), 'getCustomer', { id: customer.id });
  await merchant.expect(200, 'blockCustomer', { id: customer.id, body: blocked });
  await merchant.expect('ERR_CUSTOMER_002', 'createTransaction', { body: charge });
  await shows(object(customerDetail), 'getCustomer', { id: customer.id });
  await shows(object({ ...customerDetail, fraudEvents }), 'getCustomerV1', { id: customer.id });
  await shows(object({ ...customerDetail, fraudEvents }), 'unblockCustomer', { id: customer.id });
});

test('the store', async () => {
  await shows(store, 'changeStore', { body: { pixExpirationMinutes: 45, embedOrigins: ['https://loja.example'] } });
  await shows(store, 'getStore');
});

test('the events, and where to go on', async () => {
  const { meta: cursor } = await shows(array(event), 'listEvents');
  assert.equal(object({ next: string })(cursor), undefined);
});

test('what happened to a charge, and who did it', async () => {
  await shows(array(eventOfCharge), 'listTransactionEvents', { id: await merchant.createPaidCharge() });
});

test('figures, finds, calls that failed and connections', async () => {
  await merchant.createPaidCharge();
  await shows(stats, 'getStats');
  const { customer } = await merchant.expect(200, 'getTransactionV1', { id: await merchant.createCharge() });
  await shows(finds, 'search', { query: { q: customer.name } });
  await merchant.expect('ERR_VALIDATION_001', 'createTransaction', { body: {} });
  await shows(failedCalls, 'listFailedRequests');
  await shows(array(bankConnection), 'listConnections');
});

test("a channel's figures, and what it would be sent", async () => {
  const id = await merchant.addChannel();
  await shows(channelStats, 'getChannelStats', { id });
  await shows(preview, 'previewChannel', { id });
});
