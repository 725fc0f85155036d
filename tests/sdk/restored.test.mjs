// Following the feed of a real server over a restore of its ledger.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ApiError } from '../../sdk/node/index.mjs';
import { order, World } from './world.mjs';

const world = await World.open();
after(() => world.close());

// Every event there is from a place on.
async function read(query) {
  const found = [];
  const { meta } = await world.client.events.list({ limit: 1000, after: 'now' });
  for await (const event of world.client.events.follow(query)) {
    found.push(event);
    if (event.id === meta.next) return found;
  }
  return found;
}

test('who follows is told everything once, whatever a restore cuts off', async () => {
  const { id: kept } = await world.client.transactions.create(order);
  const before = await read();
  const backup = await world.backUp();
  await world.client.sandbox.pay(kept);
  const lost = await read({ after: before.at(-1).id });
  assert.deepEqual(lost.map(({ event }) => event), ['transaction.paid']);

  await world.restore(backup);
  // Who had come as far as the backup goes on, and nothing has changed its name.
  assert.deepEqual(await read(), before);
  await world.client.transactions.cancel(kept);
  const since = await read({ after: before.at(-1).id });
  assert.deepEqual(since.map(({ event, transactionId }) => [event, transactionId]), [['transaction.cancelled', kept]]);
  assert.notEqual(since[0].id, lost[0].id);

  // A reader that had come further gets a conflict, and goes on from the backup's end.
  const cutOff = (error) =>
    error instanceof ApiError && error.status === 409 && error.code === 'ERR_CURSOR_001' &&
    error.details[0].field === 'after' && error.details[0].resumeAfter === before.at(-1).id;
  await assert.rejects(world.client.events.list({ after: lost[0].id }), cutOff);
  assert.deepEqual(await read({ after: lost[0].id }), since);
});

test('only what is asked for comes, also from now on', async () => {
  const types = ['transaction.paid', 'transaction.expired'];
  const { data, meta } = await world.client.events.list({ after: 'now', types });
  assert.deepEqual(data, []);
  const { id } = await world.client.transactions.create(order);
  await world.client.sandbox.expire(id);
  const { value } = await world.client.events.follow({ after: meta.next, types }).next();
  assert.deepEqual([value.event, value.transactionId], ['transaction.expired', id]);
});
