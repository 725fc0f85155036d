// Notification channels and their deliveries, with a webhook worker that really sends them.
import assert from 'node:assert/strict';
import { test } from 'node:test';

export function channels(merchant) {
  test('every example body adds a channel, up to ten', async () => {
    const { other, document } = merchant;
    const mine = { key: other.testKey };
    for (const body of document.bodies(merchant.operation('addChannel'))) {
      const added = await merchant.expect(201, 'addChannel', { ...mine, body: { ...body, url: merchant.hooks } });
      assert.equal(added.secretHint, added.secret.slice(-4));
      const { secret, ...record } = added;
      const id = { ...mine, id: added.id };
      assert.deepEqual(await merchant.expect(200, 'getChannel', id), record);
      assert.deepEqual((await merchant.expect(200, 'listChannels', mine))[0], record);
      await merchant.expect('ERR_CHANNEL_001', 'getChannel', { id: added.id });
      assert.deepEqual(await merchant.expect(200, 'deleteChannel', id), record);
      await merchant.expect('ERR_CHANNEL_001', 'deleteChannel', id);
    }
    const body = { url: merchant.hooks };
    let last;
    for (let i = 0; i < 10; i++) last = await merchant.expect(201, 'addChannel', { ...mine, body });
    await merchant.expect('ERR_CHANNEL_002', 'addChannel', { ...mine, body });
    // Those that are told of live have ten places of their own, and no more.
    const live = { key: other.liveKey };
    for (let i = 0; i < 10; i++) await merchant.expect(201, 'addChannel', { ...live, body });
    await merchant.expect('ERR_CHANNEL_002', 'addChannel', { ...live, body });
    const change = { ...live, id: last.id, body: { environments: ['live'] } };
    await merchant.expect('ERR_CHANNEL_002', 'updateChannel', change);
  });

  test('a channel lacks a target, or has one that is not allowed', async () => {
    for (const [body, fields] of [
      [{}, ['url']],
      [{ url: 'https://10.0.0.1/', events: [], webhookApiVersion: 'v1' }, ['events', 'webhookApiVersion', 'url']],
      [{ url: 'https://user@127.0.0.1/' }, ['url']],
    ]) {
      const { details } = await merchant.expect('ERR_VALIDATION_001', 'addChannel', { body });
      assert.deepEqual(
        details.map(({ field }) => field),
        fields,
      );
    }
  });

  test('a channel is changed by every example body', async () => {
    const id = await merchant.addChannel();
    for (const example of merchant.document.bodies(merchant.operation('updateChannel'))) {
      const body = example.url ? { ...example, url: merchant.hooks } : example;
      const changed = await merchant.expect(200, 'updateChannel', { id, body });
      assert.deepEqual(changed, { ...changed, ...body });
    }
    for (const body of merchant.document.bodies(merchant.operation('rotateSecret'))) {
      const { secret, secretHint } = await merchant.expect(200, 'rotateSecret', { id, body });
      assert.equal((await merchant.expect(200, 'getChannel', { id })).secretHint, secretHint);
      assert.ok(secret.endsWith(secretHint));
    }
  });
}

export function deliveries(merchant) {
  test('a channel that is not active is tested, and nothing else is sent to it', async () => {
    const id = await merchant.addChannel();
    const delivery = await merchant.createDelivery(id);
    await merchant.expect('ERR_DELIVERY_001', 'redeliver', { id: delivery, key: merchant.other.testKey });
    const { attempts, status } = await merchant.expect(202, 'redeliver', { id: delivery });
    assert.deepEqual([attempts.length, status], [1, 'pending']);
    for (const body of merchant.document.bodies(merchant.operation('recoverDeliveries')))
      await merchant.expect(body.dryRun ? 200 : 202, 'recoverDeliveries', { id, body });
    await merchant.expect(200, 'updateChannel', { id, body: { isActive: false } });
    await merchant.expect('ERR_CHANNEL_003', 'redeliver', { id: delivery });
    const body = { since: '2026-01-01T00:00:00Z' };
    await merchant.expect('ERR_CHANNEL_003', 'recoverDeliveries', { id, body });
    assert.equal((await merchant.expect(202, 'testChannel', { id })).event, 'webhook.test');
  });

  test('what was sent is shown', async () => {
    const id = await merchant.addChannel({ events: ['transaction.created'] });
    await merchant.createDelivery(id);
    const [shown] = await merchant.expect(200, 'listDeliveries', { id, query: { status: 'delivered' } });
    assert.deepEqual(
      [shown.channelId, shown.event, shown.attempts.map(({ httpStatus }) => httpStatus)],
      [id, 'transaction.created', [200]],
    );
    const { health } = await merchant.expect(200, 'getChannel', { id });
    assert.deepEqual([health.status, health.lastSuccessAt], ['ok', shown.attempts[0].at]);
  });
}
