// What the dashboard asks for besides: figures, finds, failed calls, what was sent, and exports.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const day = (moment = new Date()) => moment.toISOString().slice(0, 10);

export function figures(merchant) {
  test('the figures of a project are those of what it did, in its own zone and in one that is asked for', async () => {
    const { testKey: key, liveKey } = await merchant.service.pixledger('project', 'create', '--name', 'Figuras');
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await merchant.expect(201, 'createTransaction', { key, body: merchant.newCharge() })).id);
    await merchant.expect(200, 'simulatePayment', { key, id: ids[0] });
    const { amountCents } = await merchant.expect(200, 'refundTransaction', { key, id: ids[0], body: { amountCents: 7 } });
    for (const query of [{}, { timezone: 'UTC' }, { timezone: 'UTC', from: day(), to: day() }]) {
      const { days, totals } = await merchant.expect(200, 'getStats', { key, query });
      const { created, createdCents, paid, paidCents, refundedCents, conversion } = totals;
      assert.deepEqual([created, createdCents, paid, paidCents, refundedCents], [3, 3 * amountCents, 1, amountCents, 7]);
      assert.ok(Math.abs(conversion - 1 / 3) < 0.001);
      assert.equal(days.reduce((sum, each) => sum + each.created, 0), 3);
    }
    const none = await merchant.expect(200, 'getStats', { key: liveKey, query: { environment: 'live' } });
    assert.deepEqual([none.totals.created, none.totals.conversion], [0, null]);
    for (const query of [{ from: 'x' }, { to: '2026-02-30' }, { timezone: 'America/Nowhere' }]) {
      const { details } = await merchant.expect('ERR_VALIDATION_001', 'getStats', { key, query });
      assert.deepEqual(
        details.map(({ field }) => field),
        Object.keys(query),
      );
    }
  });

  test('a search finds charges and customers by what names them, in the own project alone', async () => {
    const externalId = 'busca-7731';
    const id = await merchant.createCharge({ externalId });
    const { customer } = await merchant.expect(200, 'getTransactionV1', { id });
    const find = async (q, key) => {
      const { transactions, customers } = await merchant.expect(200, 'search', { query: { q }, key });
      return [transactions.map((one) => one.id), customers.map((one) => one.id)];
    };
    for (const q of [id, externalId]) assert.ok((await find(q))[0].includes(id), q);
    for (const q of [customer.id, customer.document]) assert.ok((await find(q))[1].includes(customer.id), q);
    assert.deepEqual(await find(externalId, merchant.other.testKey), [[], []]);
  });

  test('a call that was refused is told of by its code and field, without what it contained', async () => {
    const body = { ...merchant.newCharge(), originDomain: 'https://secret.example.com/' };
    const { requestId } = await merchant.expect('ERR_VALIDATION_001', 'createTransaction', { body });
    const query = { code: 'ERR_VALIDATION_001', field: 'originDomain', limit: 200 };
    const found = await merchant.expect(200, 'listFailedRequests', { query });
    const { method, route, status, fields } = found.recent.find((each) => each.requestId === requestId);
    assert.deepEqual([method, route, status, fields], ['POST', '/api/v1/transactions', 400, ['originDomain']]);
    assert.ok(found.groups.every(({ code, field }) => code === query.code && field === query.field));
    assert.ok(!JSON.stringify(found).includes('secret.example.com'));
    const others = await merchant.expect(200, 'listFailedRequests', { query, key: merchant.other.testKey });
    assert.ok(others.recent.every((each) => each.requestId !== requestId));
  });

  test('who did what to a charge is told with it', async () => {
    const id = await merchant.createPaidCharge();
    const [created, paid] = await merchant.expect(200, 'listTransactionEvents', { id });
    assert.match(created.actor, /^key-/);
    assert.ok(created.requestId && paid.requestId);
    const { json } = await merchant.call('listTransactionEvents', { id, query: { limit: 1 } });
    assert.deepEqual(json.data, [created]);
    const rest = await merchant.expect(200, 'listTransactionEvents', { id, query: { after: json.meta.next } });
    assert.deepEqual(rest, [paid]);
  });
}

export function sent(merchant) {
  test('what a channel was sent is shown as it was sent, counted, and found by its charge', async () => {
    const id = await merchant.addChannel({ events: ['transaction.created'] });
    const delivery = await merchant.createDelivery(id);
    const { request, transactionId } = await merchant.expect(200, 'getDelivery', { id: delivery });
    assert.deepEqual([request.url, request.attempt], [merchant.hooks, 1]);
    assert.equal(request.headers['X-Webhook-Id'], delivery);
    const { event, data } = JSON.parse(request.body);
    assert.equal(event, 'transaction.created');
    assert.ok(JSON.stringify(data).includes(transactionId));
    const found = await merchant.expect(200, 'listDeliveries', { id, query: { transactionId } });
    assert.deepEqual(
      found.map((one) => one.id),
      [delivery],
    );
    const { hours, delivered, failed } = await merchant.expect(200, 'getChannelStats', { id });
    assert.deepEqual([delivered, failed], [1, 0]);
    assert.equal(hours.reduce((sum, hour) => sum + hour.delivered, 0), 1);
    await merchant.expect('ERR_DELIVERY_001', 'getDelivery', { id: delivery, key: merchant.other.testKey });
  });

  test('a channel shows what it would be sent of every event', async () => {
    const id = await merchant.addChannel();
    for (const { event } of await merchant.expect(200, 'listWebhookEvents')) {
      const shown = await merchant.expect(200, 'previewChannel', { id, query: { event } });
      assert.equal(shown.event, shown.isSample ? 'webhook.test' : event);
      assert.equal(JSON.parse(shown.v2.body).event, shown.event);
    }
  });

  test('what a recovery would send is counted, and nothing is sent', async () => {
    const id = await merchant.addChannel({ events: ['transaction.created'] });
    const delivery = await merchant.createDelivery(id);
    const { createdAt, attempts } = await merchant.expect(200, 'getDelivery', { id: delivery });
    const body = { since: new Date(Date.parse(createdAt) - 1000).toISOString() };
    const counted = await merchant.expect(200, 'recoverDeliveries', { id, body: { ...body, dryRun: true } });
    const again = await merchant.expect(200, 'recoverDeliveries', { id, body: { ...body, dryRun: true } });
    assert.deepEqual(again, counted);
    assert.deepEqual((await merchant.expect(200, 'getDelivery', { id: delivery })).attempts, attempts);
  });
}

export function exports(merchant) {
  test('every table is exported in either form, and by days', async () => {
    await merchant.expect(200, 'refundTransaction', { id: await merchant.createPaidCharge(), body: { amountCents: 1 } });
    await merchant.createDelivery();
    for (const id of ['charges', 'payments', 'refunds', 'deliveries']) {
      const lines = async (query) => (await merchant.call('exportTable', { id, query })).body.trimEnd().split(/\r?\n/);
      const csv = await lines({});
      const objects = await lines({ format: 'jsonl' });
      assert.ok(csv.length > 1, id);
      assert.deepEqual(csv[0].split(','), Object.keys(JSON.parse(objects[0])));
      assert.equal((await lines({ from: '2020-01-01', to: '2020-01-02', timezone: 'UTC' })).length, 1, id);
      const { headers } = await merchant.call('exportTable', { id, method: 'HEAD' });
      assert.match(headers['content-disposition'] ?? '', new RegExp(id));
    }
    for (const query of [{ format: 'xml' }, { from: 'x' }, { timezone: 'Nowhere' }]) {
      const { details } = await merchant.expect('ERR_VALIDATION_001', 'exportTable', { id: 'charges', query });
      assert.deepEqual(
        details.map(({ field }) => field),
        Object.keys(query),
      );
    }
  });
}
