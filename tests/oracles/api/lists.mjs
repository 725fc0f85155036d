// Every list with every parameter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOfStore } from './merchant.mjs';

// Values of a filter that the document allows and with which this charge of the v1 list is found.
function valuesThatFind(item) {
  const today = dayOfStore(item.createdAt);
  return {
    page: ['1'],
    limit: ['1', '100'],
    status: [item.status, `expired,${item.status}`],
    customerId: [item.customer.id],
    environment: ['sandbox'],
    originDomain: [item.originDomain],
    domain: [item.originDomain],
    connectionId: [item.connection.id],
    amountMin: ['0', String(item.amountCents)],
    amountMax: [String(item.amountCents)],
    customerEmail: [item.customerEmail],
    dateFrom: [today, item.createdAt],
    dateTo: [today, item.createdAt],
    search: [item.externalId, item.customerName, '+55 (11) 98765-4321'],
    q: [item.externalId.slice(1)],
    externalId: [item.externalId],
    transactionCode: [item.transactionCode],
    unapplied: ['true'],
    partlyRefunded: ['true'],
    metadata: [item.metadata],
  };
}

const badValues = {
  page: ['0', '-1', '1.5', 'x'],
  limit: ['0', '101', 'x'],
  status: ['failed', 'x'],
  customerId: ['x'],
  environment: ['x', 'test'],
  originDomain: ['https://loja.example.com', 'a..b'],
  domain: ['loja.example.com/'],
  connectionId: ['x'],
  amountMin: ['-1', '1.5'],
  amountMax: ['-1', 'x'],
  customerEmail: ['x'],
  dateFrom: ['x', '2026-02-30'],
  dateTo: ['2026-13-01'],
  search: ['x'.repeat(201)],
  q: ['x'.repeat(201)],
  externalId: ['x'.repeat(129), 'a\u0001'],
  transactionCode: ['E1', 'x'],
  unapplied: ['false', 'x'],
  partlyRefunded: ['false', 'x'],
  failed: ['false', 'x'],
  metadata: [{ 'a b': 'x' }],
  document: ['x', '529.982.247-2'],
  email: ['x'],
  isBlocked: ['x', '1'],
};

export function lists(merchant) {
  test('a charge without an external id of its own is found by its id', async () => {
    const id = await merchant.createCharge({ externalId: undefined });
    for (const operation of ['listTransactionsV1', 'listTransactions']) {
      const found = await merchant.expect(200, operation, { query: { search: id } });
      assert.deepEqual(
        found.map((one) => [one.id, one.externalId]),
        [[id, id]],
      );
    }
  });

  for (const operation of ['listTransactionsV1', 'listTransactions']) {
    test(`${operation} takes every filter of the document, alone and together`, async () => {
      const externalId = `pedido-${operation}`;
      const id = await merchant.createCharge({ externalId });
      await merchant.expect(200, 'simulatePayment', { id });
      const twice = `E12345678202601311200${operation.slice(0, 11).padEnd(11, '0')}`.slice(0, -1) + externalId.length % 10;
      const confirm = ['charge', 'confirm', '--id', id, '--amount-cents', '1', '--end-to-end-id', twice];
      await assert.rejects(merchant.service.pixledger(...confirm), { code: 1 }); // flagged
      await merchant.expect(200, 'refundTransaction', { id, body: { amountCents: 1 } });
      const [item] = await merchant.expect(200, 'listTransactionsV1', { query: { search: externalId } });
      const values = valuesThatFind(item);
      const known = merchant.operation(operation).parameters.filter((one) => one.in === 'query');
      const names = known.map(({ name }) => name).filter((name) => name !== 'failed'); // this one is paid
      assert.deepEqual(names.sort(), Object.keys(values).sort());
      const failed = await merchant.expect(200, operation, { query: { failed: 'true', externalId } });
      assert.deepEqual(failed, []);
      for (const [name, candidates] of Object.entries(values)) {
        for (const value of candidates) {
          const found = await merchant.expect(200, operation, { query: { [name]: value } });
          assert.ok(found.length > 0, `${name}=${value} finds nothing`);
        }
      }
      const { q, ...rest } = values;
      const all = Object.fromEntries(Object.entries(rest).map(([name, [value]]) => [name, value]));
      const found = await merchant.expect(200, operation, { query: all });
      assert.deepEqual(
        found.map((one) => one.id),
        [id],
      );
    });
  }

  for (const operation of [
    'listTransactionsV1',
    'listTransactions',
    'listCustomersV1',
    'listCustomers',
    'listBlocklist',
  ]) {
    test(`${operation} names each parameter with a bad value`, async () => {
      const { parameters } = merchant.operation(operation);
      for (const { name } of parameters.filter((one) => one.in === 'query')) {
        for (const value of badValues[name]) {
          const { details } = await merchant.expect('ERR_VALIDATION_001', operation, {
            query: { [name]: value },
          });
          assert.deepEqual(
            details.map(({ field }) => field),
            [name],
            `${name}=${value}`,
          );
        }
      }
    });

    test(`${operation} has empty pages past its end`, async () => {
      const { json } = await merchant.call(operation, { query: { page: '1000000', limit: '7' } });
      assert.deepEqual(json.data, []);
      assert.deepEqual([json.meta.page, json.meta.limit], [1000000, 7]);
    });
  }
}
