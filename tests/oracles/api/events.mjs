// The feed of events, and how a charge was.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const badValues = {
  after: ['x', '0'.repeat(32), 'F'.repeat(32)],
  types: ['x', 'transaction.paid,', 'Transaction.paid'],
  limit: ['0', '1001', 'x'],
  wait: ['-1', '31', 'x'],
};

// Every page from the beginning, or behind a cursor.
async function follow(merchant, after) {
  const all = [];
  for (let query = { limit: '1000', ...(after && { after }) }; ; ) {
    const { json, body } = await merchant.call('listEvents', { query });
    assert.equal(json?.success, true, body);
    all.push(...json.data);
    if (json.data.length === 0) return { events: all, next: json.meta.next };
    query = { ...query, after: json.meta.next };
  }
}

export function events(merchant) {
  test('the feed tells everything that a merchant does, in order', async () => {
    const { next: after } = await follow(merchant);
    const id = await merchant.createPaidCharge();
    await merchant.expect(200, 'refundTransaction', { id, body: { amountCents: 1 } });
    await merchant.expect(200, 'refundTransaction', { id, body: {} });
    const cancelled = await merchant.createCharge();
    await merchant.expect(200, 'cancelTransaction', { id: cancelled });
    const failed = await merchant.createCharge();
    await merchant.expect(200, 'simulateFailure', { id: failed });
    const customer = await merchant.createCustomer();
    const block = { blockType: 'manual', reason: 'asked for' };
    await merchant.expect(200, 'blockCustomer', { id: customer, body: block });
    await merchant.expect(200, 'unblockCustomer', { id: customer });
    const entry = await merchant.addBlocklistEntry();
    await merchant.expect(200, 'removeBlocklistEntry', { id: entry });
    await merchant.expect(200, 'changeStore', { body: { pixExpirationMinutes: 31 } });

    const { events: found } = await follow(merchant, after);
    assert.deepEqual(
      found.map(({ event }) => event),
      [
        'customer.created',
        'transaction.created',
        'transaction.paid',
        'transaction.partially_refunded',
        'transaction.refunded',
        'customer.created',
        'transaction.created',
        'transaction.cancelled',
        'customer.created',
        'transaction.created',
        'transaction.failed',
        'customer.created',
        'customer.blocked',
        'customer.unblocked',
        'blocklist.added',
        'blocklist.removed',
        'store.changed',
      ],
    );
    assert.equal(found[2].transactionId, id);
    assert.equal(found[12].customerId, customer);
  });

  test('the feed from its beginning has the project and its keys', async () => {
    const { events: found } = await follow(merchant);
    assert.equal(found[0].event, 'store.created');
    assert.ok(found.some(({ event }) => event === 'api_key.issued'));
  });

  test('the feed tells of refused creations and of money that does not fit', async () => {
    const { next: after } = await follow(merchant);
    const id = await merchant.createCharge({ key: merchant.project.liveKey });
    const endToEndId = 'E12345678202601311200zzzzzzzzzzz';
    const confirm = ['charge', 'confirm', '--id', id, '--amount-cents', '1', '--end-to-end-id', endToEndId];
    await assert.rejects(merchant.service.pixledger(...confirm), { code: 1 }); // flagged
    await merchant.service.pixledger('charge', 'return-payment', '--end-to-end-id', endToEndId);
    const body = merchant.newCharge();
    const entry = { type: 'document', value: body.customer.document };
    await merchant.expect(201, 'addBlocklistEntry', { body: entry });
    await merchant.expect('ERR_FRAUD_001', 'createTransaction', { body });
    const { events: found } = await follow(merchant, after);
    const names = found.map(({ event }) => event);
    for (const name of ['payment.unapplied', 'payment.returned', 'transaction.refused'])
      assert.ok(names.includes(name), name);
  });

  test('the feed tells of a connection that the operator adds, and lists show and find it', async () => {
    const { next: after } = await follow(merchant);
    const of = ['--project', merchant.project.projectId, '--env', 'test'];
    const { connectionId } = await merchant.service.pixledger('connection', 'add', ...of, '--alias', 'reserva');
    const { events: found } = await follow(merchant, after);
    assert.deepEqual(
      found.map(({ event, data }) => [event, data.connectionId]),
      [['connection.added', connectionId]],
    );
    const { id } = await merchant.expect(201, 'createTransaction', { body: { ...merchant.newCharge(), connectionId } });
    for (const [operation, name] of [
      ['listTransactionsV1', 'connection'],
      ['listTransactions', 'gateway'],
    ]) {
      const listed = await merchant.expect(200, operation, { query: { connectionId } });
      assert.deepEqual(
        listed.map((item) => [item.id, item[name].id, item[name].alias]),
        [[id, connectionId, 'reserva']],
      );
    }
  });

  test('a waiting call is answered when something happens', async () => {
    const { next: after } = await follow(merchant);
    const waiting = merchant.expect(200, 'listEvents', { query: { after, wait: '30' } });
    await merchant.createCustomer();
    const found = await waiting;
    assert.deepEqual(
      found.map(({ event }) => event),
      ['customer.created'],
    );
  });

  test('the feed names each parameter with a bad value', async () => {
    for (const [name, values] of Object.entries(badValues)) {
      for (const value of values) {
        const query = { [name]: value };
        const { details } = await merchant.expect('ERR_VALIDATION_001', 'listEvents', { query });
        assert.deepEqual(
          details.map(({ field }) => field),
          [name],
          `${name}=${value}`,
        );
      }
    }
  });

  for (const operation of ['getTransactionV1', 'getTransaction']) {
    test(`${operation} shows how a charge was, by time and by cursor`, async () => {
      const { next: before } = await follow(merchant);
      const id = await merchant.createCharge();
      const { next: waiting } = await follow(merchant, before);
      const created = await merchant.expect(200, operation, { id });
      await merchant.expect(200, 'simulatePayment', { id });
      const statusAt = async (asOf) => (await merchant.expect(200, operation, { id, query: { asOf } })).status;
      assert.equal(await statusAt(waiting), 'waiting_payment');
      assert.equal(await statusAt('2099-01-01T00:00:00Z'), 'paid');
      await merchant.expect('ERR_TRANSACTION_001', operation, { id, query: { asOf: before } });
      const tooEarly = new Date(Date.parse(created.createdAt) - 1).toISOString();
      await merchant.expect('ERR_TRANSACTION_001', operation, { id, query: { asOf: tooEarly } });
      const { details } = await merchant.expect('ERR_VALIDATION_001', operation, { id, query: { asOf: 'x' } });
      assert.deepEqual(
        details.map(({ field }) => field),
        ['asOf'],
      );
    });
  }
}
