// Charges from their creation to their end, with every refusal that depends on the state of things.
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
    assert.deepEqual(
      details.map(({ field }) => field),
      ['customer', 'payment', 'originDomain'],
    );
  });

  test('a store can refuse amounts, and live charges for want of a Pix key', async () => {
    const store = await merchant.service.pixledger(
      'project',
      'create',
      '--name',
      'Lojinha',
      '--max-amount-cents',
      '100',
    );
    const payment = (amountCents) => merchant.newCharge({ payment: { amountCents, product: 'Fita' } });
    await merchant.expect('ERR_TRANSACTION_004', 'createTransaction', {
      key: store.testKey,
      body: payment(101),
    });
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

  test('a receipt is for the own project alone, and holds every kind of event', async () => {
    const id = await merchant.createPaidCharge();
    await merchant.expect(200, 'refundTransaction', { id, body: { amountCents: 1, reason: 'parte' } });
    const { transactionId, events } = await merchant.expect(200, 'getReceipt', { id });
    assert.equal(transactionId, id);
    assert.deepEqual(
      events.map(({ event }) => event.type),
      ['ChargeCreated', 'ChargePaid', 'ChargeRefunded'],
    );
    for (const operation of ['simulateExpiry', 'simulateFailure', 'cancelTransaction']) {
      const other = await merchant.createCharge();
      await merchant.expect(200, operation, { id: other });
      assert.equal((await merchant.expect(200, 'getReceipt', { id: other })).events.length, 2);
    }
    await merchant.expect('ERR_TRANSACTION_003', 'getReceipt', { id, key: merchant.other.testKey });
    await merchant.expect('ERR_TRANSACTION_001', 'getReceipt', { id: unknownId });
  });

  for (const [operation, begins] of [
    ['getQrSvg', '<svg '],
    ['getQrPng', '\ufffdPNG'],
  ]) {
    test(`${operation} draws what can be paid, for the own project alone`, async () => {
      const id = await merchant.createCharge();
      const { status, body } = await merchant.call(operation, { id, query: { size: 300 } });
      assert.equal(status, 200);
      assert.ok(body.startsWith(begins), JSON.stringify(body.slice(0, 20)));
      await merchant.expect('ERR_VALIDATION_001', operation, { id, query: { size: 5000 } });
      await merchant.expect(200, 'simulatePayment', { id });
      await merchant.expect('ERR_TRANSACTION_002', operation, { id });
      await merchant.expect('ERR_TRANSACTION_003', operation, { id, key: merchant.other.testKey });
      await merchant.expect('ERR_TRANSACTION_001', operation, { id: unknownId });
    });
  }

  test('what happened to a transaction is told to its own project alone', async () => {
    const id = await merchant.createPaidCharge();
    const items = await merchant.expect(200, 'listTransactionEvents', { id });
    assert.deepEqual(
      items.map(({ event }) => event),
      ['transaction.created', 'transaction.paid'],
    );
    await merchant.expect('ERR_TRANSACTION_003', 'listTransactionEvents', { id, key: merchant.other.testKey });
    await merchant.expect('ERR_TRANSACTION_001', 'listTransactionEvents', { id: unknownId });
  });

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
    await merchant.expect('ERR_TRANSACTION_003', 'refundTransaction', {
      id,
      key: merchant.other.testKey,
      body: {},
    });
    await merchant.expect('ERR_TRANSACTION_005', 'refundTransaction', {
      id,
      body: { amountCents: amountCents + 1 },
    });
    const part = await merchant.expect(200, 'refundTransaction', {
      id,
      body: { amountCents: 1, reason: 'parte' },
    });
    assert.deepEqual([part.status, part.refundedAmountCents, part.refundedAt], ['paid', 1, null]);
    const whole = await merchant.expect(200, 'refundTransaction', { id });
    assert.deepEqual([whole.status, whole.refundedAmountCents], ['refunded', amountCents]);
    const history = await merchant.expect(200, 'listTransactionEvents', { id });
    assert.deepEqual(
      history.slice(2).map(({ event }) => event),
      ['transaction.partially_refunded', 'transaction.refunded'],
    );
    await merchant.expect('ERR_TRANSACTION_002', 'refundTransaction', { id, body: {} });
    await merchant.expect('ERR_TRANSACTION_001', 'refundTransaction', { id: unknownId, body: {} });
  });

  test('money that does not fit its charge is shown with it', async () => {
    const id = await merchant.createCharge({ key: merchant.project.liveKey });
    const confirm = ['charge', 'confirm', '--id', id, '--amount-cents', '1', '--end-to-end-id', 'E12345678202601311200abcdefghijk'];
    await assert.rejects(merchant.service.pixledger(...confirm), { code: 1 }); // flagged
    const { liveKey } = merchant.project;
    const { unappliedPayments } = await merchant.expect(200, 'getTransactionV1', { id, key: liveKey });
    assert.deepEqual(
      unappliedPayments.map(({ flag }) => flag),
      ['AMOUNT_MISMATCH'],
    );
    const [, { event, actor }] = await merchant.expect(200, 'listTransactionEvents', { id, key: liveKey });
    assert.equal(event, 'payment.unapplied');
    assert.match(actor, /^operator-/);
  });
}

export function sandbox(merchant) {
  for (const [operation, status] of [
    ['simulatePayment', 'paid'],
    ['simulateExpiry', 'expired'],
    ['simulateFailure', 'failed'],
  ]) {
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
