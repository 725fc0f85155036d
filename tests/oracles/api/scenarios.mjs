// What a merchant does, operation by operation, with every refusal that depends on the state of things.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unknownId } from './merchant.mjs';

export function creations(merchant) {
  test('every example body creates a charge, with either kind of key', async () => {
    for (const body of merchant.document.bodies(merchant.operation('createTransaction'))) {
      await merchant.expect(201, 'createTransaction', { body });
      await merchant.expect(201, 'createTransaction', { body, key: merchant.project.liveKey });
    }
  });

  test('a creation that lacks everything names what it lacks', async () => {
    const { details } = await merchant.expect('ERR_VALIDATION_001', 'createTransaction', { body: {} });
    assert.deepEqual(details.map(({ field }) => field), ['customer', 'payment', 'originDomain']);
  });

  test('a store can refuse amounts, and live charges for want of a Pix key', async () => {
    const store = await merchant.service.pixledger('project', 'create', '--name', 'Lojinha', '--max-amount-cents', '100');
    const payment = (amountCents) => merchant.newCharge({ payment: { amountCents, product: 'Fita' } });
    await merchant.expect('ERR_TRANSACTION_004', 'createTransaction', { key: store.testKey, body: payment(101) });
    await merchant.expect('ERR_STORE_001', 'createTransaction', { key: store.liveKey, body: payment(100) });
  });
}

export function transactions(merchant) {
  for (const operation of ['getTransactionV1', 'getTransaction']) {
    test(`${operation} shows the own project's transactions alone`, async () => {
      const id = await merchant.createCharge();
      assert.equal((await merchant.expect(200, operation, { id })).status, 'waiting_payment');
      await merchant.expect('ERR_TRANSACTION_003', operation, { id, key: merchant.other.testKey });
      await merchant.expect('ERR_TRANSACTION_001', operation, { id: unknownId });
    });
  }

  test('a charge is cancelled once', async () => {
    const id = await merchant.createCharge();
    await merchant.expect('ERR_TRANSACTION_003', 'cancelTransaction', { id, key: merchant.other.testKey });
    assert.equal((await merchant.expect(200, 'cancelTransaction', { id })).status, 'cancelled');
    await merchant.expect('ERR_TRANSACTION_002', 'cancelTransaction', { id });
    await merchant.expect('ERR_TRANSACTION_001', 'cancelTransaction', { id: unknownId });
  });

  test('a payment is refunded part by part', async () => {
    const id = await merchant.createPaidCharge();
    const { amountCents } = await merchant.expect(200, 'getTransactionV1', { id });
    await merchant.expect('ERR_TRANSACTION_003', 'refundTransaction', { id, key: merchant.other.testKey, body: {} });
    await merchant.expect('ERR_TRANSACTION_005', 'refundTransaction', { id, body: { amountCents: amountCents + 1 } });
    const part = await merchant.expect(200, 'refundTransaction', { id, body: { amountCents: 1, reason: 'parte' } });
    assert.deepEqual([part.status, part.refundedAmountCents, part.refundedAt], ['paid', 1, null]);
    const whole = await merchant.expect(200, 'refundTransaction', { id });
    assert.deepEqual([whole.status, whole.refundedAmountCents], ['refunded', amountCents]);
    await merchant.expect('ERR_TRANSACTION_002', 'refundTransaction', { id, body: {} });
    await merchant.expect('ERR_TRANSACTION_001', 'refundTransaction', { id: unknownId, body: {} });
  });

  test('money that does not fit its charge is shown with it', async () => {
    const id = await merchant.createCharge({ key: merchant.project.liveKey });
    await merchant.service.pixledger('charge', 'confirm', '--id', id, '--amount-cents', '1',
      '--end-to-end-id', 'E12345678202601311200abcdefghijk');
    const { unappliedPayments } = await merchant.expect(200, 'getTransactionV1', { id });
    assert.deepEqual(unappliedPayments.map(({ flag }) => flag), ['AMOUNT_MISMATCH']);
  });
}

// Values of a filter that the document allows and with which this charge of the v1 list is found.
function valuesThatFind(item) {
  const today = item.createdAt.slice(0, 10);
  return {
    page: ['1'], limit: ['1', '100'], status: [item.status], customerId: [item.customer.id], environment: ['sandbox'],
    originDomain: [item.originDomain], domain: [item.originDomain], connectionId: [item.connection.id],
    amountMin: ['0', String(item.amountCents)], amountMax: [String(item.amountCents)], customerEmail: [item.customerEmail],
    dateFrom: [today, item.createdAt], dateTo: [today, item.createdAt], search: [item.externalId, item.customerName], q: [item.id],
  };
}

const badValues = {
  page: ['0', '-1', '1.5', 'x'], limit: ['0', '101', 'x'], status: ['failed', 'x'], customerId: ['x'], environment: ['x', 'test'],
  originDomain: ['https://loja.example.com', 'a..b'], domain: ['loja.example.com/'], connectionId: ['x'],
  amountMin: ['-1', '1.5'], amountMax: ['-1', 'x'], customerEmail: ['x'], dateFrom: ['x', '2026-02-30'], dateTo: ['2026-13-01'],
  search: ['x'.repeat(201)], q: ['x'.repeat(201)],
};

export function lists(merchant) {
  for (const operation of ['listTransactionsV1', 'listTransactions']) {
    test(`${operation} takes every filter of the document, alone and together`, async () => {
      const externalId = `pedido-${operation}`;
      const id = await merchant.createCharge({ externalId });
      const [item] = await merchant.expect(200, 'listTransactionsV1', { query: { search: externalId } });
      const values = valuesThatFind(item);
      const known = merchant.operation(operation).parameters.filter((one) => one.in === 'query');
      assert.deepEqual(known.map(({ name }) => name).sort(), Object.keys(values).sort());
      for (const [name, candidates] of Object.entries(values)) {
        for (const value of candidates) {
          const found = await merchant.expect(200, operation, { query: { [name]: value } });
          assert.ok(found.length > 0, `${name}=${value} finds nothing`);
        }
      }
      const { q, ...rest } = values;
      const all = Object.fromEntries(Object.entries(rest).map(([name, [value]]) => [name, value]));
      const found = await merchant.expect(200, operation, { query: all });
      assert.deepEqual(found.map((one) => one.id), [id]);
    });
  }

  for (const operation of ['listTransactionsV1', 'listTransactions', 'listCustomersV1', 'listCustomers', 'listBlocklist']) {
    test(`${operation} names each parameter with a bad value`, async () => {
      const { parameters } = merchant.operation(operation);
      for (const { name } of parameters.filter((one) => one.in === 'query')) {
        for (const value of badValues[name]) {
          const { details } = await merchant.expect('ERR_VALIDATION_001', operation, { query: { [name]: value } });
          assert.deepEqual(details.map(({ field }) => field), [name], `${name}=${value}`);
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

export function sandbox(merchant) {
  for (const [operation, status] of [['simulatePayment', 'paid'], ['simulateExpiry', 'expired'], ['simulateFailure', 'failed']]) {
    test(`${operation} works once, in the own sandbox only`, async () => {
      const id = await merchant.createCharge();
      await merchant.expect('ERR_TRANSACTION_001', operation, { id, key: merchant.other.testKey });
      assert.equal((await merchant.expect(200, operation, { id })).status, status);
      await merchant.expect('ERR_TRANSACTION_002', operation, { id });
      const live = await merchant.createCharge({ key: merchant.project.liveKey });
      await merchant.expect('ERR_SANDBOX_002', operation, { id: live });
      await merchant.expect('ERR_TRANSACTION_001', operation, { id: unknownId });
    });
  }
}

export function customers(merchant) {
  for (const group of ['V1', '']) {
    test(`saveCustomer${group} creates, then updates; the customer can be listed and got`, async () => {
      const body = merchant.newCustomer();
      const { id } = await merchant.expect(201, `saveCustomer${group}`, { body });
      const again = await merchant.expect(200, `saveCustomer${group}`, { body: { ...body, name: 'Ana Souza' } });
      assert.deepEqual([again.id, again.name], [id, 'Ana Souza']);
      const today = again.createdAt.slice(0, 10);
      const [newest] = await merchant.expect(200, `listCustomers${group}`, { query: { dateFrom: today, dateTo: today, limit: 1 } });
      assert.equal(newest.id, id);
      assert.equal((await merchant.expect(200, `getCustomer${group}`, { id })).totalTransactions, 0);
      await merchant.expect('ERR_CUSTOMER_001', `getCustomer${group}`, { id, key: merchant.other.testKey });
    });

    test(`saveCustomer${group} wants the whole address`, async () => {
      const { address, ...body } = merchant.newCustomer();
      const { city, ...rest } = address;
      const { details } = await merchant.expect('ERR_VALIDATION_001', `saveCustomer${group}`, { body: { ...body, address: rest } });
      assert.deepEqual(details.map(({ field }) => field), ['address.city']);
    });
  }

  test('a blocked customer cannot create charges, and the attempts are shown', async () => {
    const charge = merchant.newCharge();
    const { id } = await merchant.expect(201, 'createTransaction', { body: charge });
    const { customer } = await merchant.expect(200, 'getTransactionV1', { id });
    for (const body of merchant.document.bodies(merchant.operation('blockCustomer'))) {
      const blocked = await merchant.expect(200, 'blockCustomer', { id: customer.id, body });
      assert.deepEqual([blocked.isBlocked, blocked.blockType, blocked.blockedReason], [true, body.blockType, body.reason]);
      await merchant.expect('ERR_CUSTOMER_002', 'createTransaction', { body: charge });
    }
    const shown = await merchant.expect(200, 'getCustomerV1', { id: customer.id });
    assert.deepEqual(shown.fraudEvents.map(({ fraudType }) => fraudType), ['blocked_customer', 'blocked_customer']);
    assert.deepEqual(shown.recentTransactions.map((one) => one.id), [id]);
    assert.equal((await merchant.expect(200, 'unblockCustomer', { id: customer.id })).isBlocked, false);
    await merchant.expect(201, 'createTransaction', { body: charge });
  });
}

export function blocklist(merchant) {
  test('payers on the blocklist cannot create charges', async () => {
    const charge = merchant.newCharge();
    const payer = { ip: { customerIp: '203.0.113.66' }, cidr: { customerIp: '2001:db8:66::1' },
      email: { customer: { ...charge.customer, email: 'Mallory@example.com' } }, document: { customer: { ...charge.customer, document: '11144477735' } } };
    for (const body of merchant.document.bodies(merchant.operation('addBlocklistEntry'))) {
      const entry = await merchant.expect(201, 'addBlocklistEntry', { body });
      assert.deepEqual(await merchant.expect(200, 'addBlocklistEntry', { body }), entry);
      assert.deepEqual((await merchant.expect(200, 'listBlocklist'))[0], entry);
      const refused = { body: { ...charge, ...payer[body.type] } };
      await merchant.expect('ERR_FRAUD_001', 'createTransaction', refused);
      await merchant.expect('ERR_BLOCKLIST_001', 'removeBlocklistEntry', { id: entry.id, key: merchant.other.testKey });
      assert.deepEqual(await merchant.expect(200, 'removeBlocklistEntry', { id: entry.id }), entry);
      await merchant.expect('ERR_BLOCKLIST_001', 'removeBlocklistEntry', { id: entry.id });
      await merchant.expect(201, 'createTransaction', refused);
    }
  });
}

export function store(merchant) {
  test('the store is changed by every example body', async () => {
    for (const body of merchant.document.bodies(merchant.operation('changeStore'))) {
      const changed = await merchant.expect(200, 'changeStore', { body });
      assert.deepEqual(changed, { ...changed, ...body });
      assert.deepEqual(await merchant.expect(200, 'getStore'), changed);
    }
    const { details } = await merchant.expect('ERR_VALIDATION_001', 'changeStore', { body: { pixExpirationMinutes: 0, maxTransactionAmountCents: 0 } });
    assert.deepEqual(details.map(({ field }) => field), ['pixExpirationMinutes', 'maxTransactionAmountCents']);
  });
}
