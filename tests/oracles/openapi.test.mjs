// Drives every operation of the API on a real server and checks each answer against the OpenAPI document:
// status, headers, media type and body. Environment:
//   PIXLEDGER_BIN_DIR  where pixledger and pixledger-server are (required)
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as channels from './api/channels.mjs';
import * as charges from './api/charges.mjs';
import * as checkout from './api/checkout.mjs';
import * as events from './api/events.mjs';
import * as lists from './api/lists.mjs';
import { Merchant } from './api/merchant.mjs';
import * as overview from './api/overview.mjs';
import * as payers from './api/payers.mjs';
import { isOfPeople, people } from './api/people.mjs';
import { common, limited } from './api/refusals.mjs';

// What cannot be provoked from outside: two requests that overlap, a server in need, a restore (see tests/sdk), a
// bank that says no or nothing (see tests/http/bank_charges_test.cpp and tests/bank), and what takes an authenticator.
const unprovoked = [
  '409 ERR_IDEMPOTENCY_002',
  '503 ERR_HTTP_503',
  '409 ERR_CURSOR_001',
  '424 ERR_PROVIDER_001',
  '503 ERR_PROVIDER_002',
  'addPasskey 201',
  'removePasskey 200',
  'removeTotp 200',
];

// What is refused to people is tried in tests/http/accounts and tests/http/users.
const refusesPeople = (promise) => {
  const [id, , code] = promise.split(' ');
  return code !== undefined && isOfPeople(merchant.document.operations.get(id));
};

const merchant = await Merchant.open();
after(() => merchant.close());
// Operations for people are called by a signed-in user.
const all = [...merchant.document.operations.values()];
const operations = all.filter((operation) => !isOfPeople(operation));

for (const scenario of Object.values({ ...channels, ...charges, ...checkout, ...events, ...lists, ...overview, ...payers }))
  scenario(merchant);
people(merchant);
for (const operation of operations) common(merchant, operation);

test('a copy of the document that is up to date is not sent again', async () => {
  const { headers } = await merchant.call('getDocument');
  await merchant.expect(304, 'getDocument', { headers: { 'If-None-Match': headers.etag } });
});

test('answers tell the rate when it is limited', async () => {
  await merchant.service.restart('--rate-live', '1', '--rate-test', '1');
  const { headers } = await merchant.call('getStore');
  assert.ok(headers.ratelimit && headers['ratelimit-policy']);
});
for (const operation of operations.filter(({ isPublic }) => !isPublic)) limited(merchant, operation);

test('every success and every error of the document has been seen', () => {
  const missing = merchant.document
    .unseen()
    .filter((promise) => !unprovoked.some((end) => promise.endsWith(end)) && !refusesPeople(promise));
  assert.equal(missing.join('\n'), '');
});
