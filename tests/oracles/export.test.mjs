// What `pixledger export` writes, read back by somebody else's CSV parser. Environment:
//   PIXLEDGER_BIN_DIR  where pixledger and pixledger-server are (required)
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { Merchant } from './api/merchant.mjs';

const merchant = await Merchant.open();
after(() => merchant.close());

// Texts that a spreadsheet would calculate, and texts that are hard to quote.
const products = [
  '=1+1',
  '+55',
  '-5',
  '@SUM(A1)',
  '=HYPERLINK("mailto:a@example.com","x")',
  '"quoted"',
  'a,b;c',
  "it's",
  'São João',
  ' =1',
];

const exported = (...options) => merchant.service.print('export', ...options);
const startsFormula = (text) => /^ *[=+\-@\t\r\n]/.test(text);

test('a spreadsheet finds every product as it was, and nothing to calculate', async () => {
  for (const product of products) {
    const payment = { amountCents: 1990, product };
    await merchant.createCharge({ payment, externalId: product });
  }
  const rows = parse(await exported('--format', 'csv'), { columns: true });
  assert.deepEqual(
    rows.map((row) => row.product),
    products.map((product) => (startsFormula(product) ? `'${product}` : product)),
  );
  for (const cell of rows.flatMap((row) => Object.values(row))) assert.ok(!startsFormula(cell), cell);

  const objects = (await exported('--format', 'jsonl')).trimEnd().split('\n').map(JSON.parse);
  assert.deepEqual(
    objects.map((one) => one.product),
    products,
  );
  for (const [i, object] of objects.entries()) {
    assert.deepEqual(Object.keys(object), Object.keys(rows[i]));
    assert.equal(String(object.amountCents), rows[i].amountCents);
    assert.equal(object.transactionId, rows[i].transactionId);
  }
});

test('payments and refunds are tables too', async () => {
  const id = await merchant.createPaidCharge();
  await merchant.expect(200, 'refundTransaction', { id, body: { amountCents: 90, reason: '=1+1' } });
  const payments = parse(await exported('--format', 'csv', '--what', 'payments'), { columns: true });
  assert.deepEqual(
    payments.map((row) => [row.transactionId, row.outcome]),
    [[id, 'applied']],
  );
  const refunds = parse(await exported('--format', 'csv', '--what', 'refunds'), { columns: true });
  assert.deepEqual(
    refunds.map((row) => [row.transactionId, row.amountCents, row.reason, row.origin]),
    [[id, '90', "'=1+1", 'merchant']],
  );
  const transaction = await merchant.expect(200, 'getTransaction', { id });
  assert.deepEqual(
    refunds.map((row) => row.refundId),
    transaction.refunds.map((refund) => refund.id),
  );
});
