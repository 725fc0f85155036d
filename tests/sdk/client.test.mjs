// The client against a real server.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { ApiError, PixledgerClient, PixledgerError } from '../../sdk/node/index.mjs';
import { World, address, order } from './world.mjs';

const operations = createRequire(import.meta.url)('../../sdk/node/lib/operations.cjs');
let world;
let client;

before(async () => {
  world = await World.open();
  client = world.client;
});
after(() => world.close());

const refused = (status, code) => (error) =>
  error instanceof ApiError && error instanceof PixledgerError && error.status === status && error.code === code;

test('every operation of the API has a method', async () => {
  const known = new Set();
  const walk = (entries) => {
    for (const entry of Object.values(entries)) {
      if (Array.isArray(entry)) known.add(`${entry[1]} ${entry[2]}`);
      else walk(entry);
    }
  };
  walk(operations);
  const { paths } = await client.service.document();
  // What people do who sign in, no program with a key.
  const isOfPeople = (operation) =>
    operation.security?.some((each) => each.userToken) || operation.tags.includes('Sign-in');
  for (const [path, methods] of Object.entries(paths)) {
    for (const method of Object.keys(methods).filter((each) => /^(get|post|put|patch|delete)$/.test(each) && !isOfPeople(methods[each])))
      assert.ok(known.has(`${method.toUpperCase()} ${path}`), `${method} ${path}`);
  }
});

test('a transaction lives: created, found, paid, refunded', async () => {
  const created = await client.transactions.create({ ...order, externalId: 'order-1' });
  assert.equal(created.status, 'waiting_payment');
  assert.match(created.pixCode, /^000201/);
  const { paidAt } = await client.sandbox.pay(created.id);
  const transaction = await client.transactions.get(created.id);
  assert.equal(transaction.status, 'paid');
  assert.equal(transaction.paidAt, paidAt);
  assert.equal((await client.unversioned.transactions.get(created.id)).id, created.id);
  const { data, meta } = await client.transactions.list({ search: 'order-1', dateFrom: new Date(Date.parse(paidAt) - 60_000) });
  assert.equal(meta.total, 1);
  assert.equal(data[0].connection.alias.length > 0, true);
  assert.equal((await client.unversioned.transactions.list()).data[0].domain.host, order.originDomain);
  const part = await client.transactions.refund(created.id, { amountCents: 990, reason: 'troca' });
  assert.equal(part.refundedAmountCents, 990);
  assert.equal((await client.transactions.refund(created.id)).status, 'refunded');
  await assert.rejects(client.transactions.cancel(created.id), refused(400, 'ERR_TRANSACTION_002'));
});

test('the sandbox expires and fails, and a waiting transaction is cancelled', async () => {
  const create = async () => (await client.transactions.create(order)).id;
  assert.equal((await client.sandbox.expire(await create())).status, 'expired');
  assert.equal((await client.sandbox.fail(await create())).status, 'failed');
  assert.equal((await client.transactions.cancel(await create())).status, 'cancelled');
});

test('customers are saved, listed, blocked and unblocked', async () => {
  const body = { ...order.customer, document: '11144477735', address };
  const { id } = await client.customers.save(body);
  assert.equal((await client.unversioned.customers.save({ ...body, name: 'Bia' })).id, id);
  assert.equal((await client.customers.get(id)).name, 'Bia');
  assert.equal((await client.unversioned.customers.get(id)).totalTransactions, 0);
  assert.ok((await client.customers.list()).data.some((each) => each.id === id));
  assert.ok((await client.unversioned.customers.list()).data.some((each) => each.id === id));
  const blocked = await client.customers.block(id, { blockType: 'fraud', reason: 'x', expiresAt: new Date('2099-01-01') });
  assert.equal(blocked.isBlocked, true);
  await assert.rejects(
    client.transactions.create({ ...order, customer: { ...order.customer, document: body.document } }),
    refused(403, 'ERR_CUSTOMER_002'),
  );
  assert.equal((await client.customers.unblock(id)).isBlocked, false);
});

test('the blocklist and the store can be changed', async () => {
  const entry = await client.blocklist.add({ type: 'cidr', value: '203.0.113.0/24', reason: 'x' });
  assert.equal((await client.blocklist.list()).data[0].id, entry.id);
  assert.equal((await client.blocklist.remove(entry.id)).id, entry.id);
  await assert.rejects(client.blocklist.remove(entry.id), refused(404, 'ERR_BLOCKLIST_001'));
  const live = new PixledgerClient({ apiKey: world.project.liveKey, baseUrl: world.baseUrl });
  assert.equal((await live.store.update({ pixExpirationMinutes: 45 })).pixExpirationMinutes, 45);
  assert.equal((await client.store.get()).pixExpirationMinutes, 45);
});

test('a test key has the sandbox alone, and a live key sees both', async () => {
  const live = new PixledgerClient({ apiKey: world.project.liveKey, baseUrl: world.baseUrl });
  const refusal = refused(403, 'ERR_AUTH_010');
  const { id, environment } = await live.transactions.create(order);
  assert.equal(environment, 'live');
  await assert.rejects(client.transactions.get(id), refusal);
  assert.equal((await client.transactions.list({ environment: 'live' })).meta.total, 0);
  const { customer } = await live.transactions.get(id);
  await assert.rejects(client.customers.get(customer.id), refusal);
  const [tried] = (await live.customers.list({ environment: 'sandbox' })).data;
  assert.equal((await client.customers.get(tried.id)).environment, 'sandbox');
  await assert.rejects(client.store.update({ name: 'Outra' }), refusal);
});

test('the events of the project can be followed from anywhere', async () => {
  const { id } = await client.transactions.create(order);
  const { meta } = await client.events.list({ limit: 1000 });
  await client.sandbox.pay(id);
  const seen = [];
  for await (const event of client.events.follow({ after: meta.next, wait: 1 })) {
    if (event.transactionId !== id) continue;
    seen.push(event);
    if (event.event === 'transaction.paid') break;
  }
  assert.equal((await client.transactions.getAsOf(id, { asOf: seen.at(-1).id })).status, 'paid');
  assert.equal((await client.transactions.getAsOf(id, { asOf: meta.next })).status, 'waiting_payment');
  const waiting = client.events.follow({ after: seen.at(-1).id }, { signal: AbortSignal.timeout(50) });
  await assert.rejects(waiting.next(), { name: 'TimeoutError' });
});

test('two states of the ledger are related without it', async () => {
  const before = await client.ledger.checkpoint();
  await client.transactions.create(order);
  const { from, to, proof, checkpoint } = await client.ledger.consistency({ from: before.size });
  assert.equal(from, before.size);
  assert.ok(to > from && proof.length > 0);
  assert.equal(checkpoint.split('\n')[1], String(to));
  assert.equal(before.checkpoint.split('\n')[0], before.origin);
  await assert.rejects(client.ledger.consistency({ from: to + 1 }), refused(400, 'ERR_VALIDATION_001'));
});

test('the server tells about itself', async () => {
  assert.deepEqual(await client.service.alive(), { status: 'ok' });
  assert.deepEqual(await client.service.ready(), { status: 'ready' });
  assert.match(await client.service.metrics(), /^# (HELP|TYPE) /m);
});

test('a refusal carries everything that the server said', async () => {
  await assert.rejects(client.transactions.create({}, { requestId: 'checkout-7' }), (error) => {
    assert.ok(refused(400, 'ERR_VALIDATION_001')(error));
    assert.equal(error.name, 'ApiError');
    assert.equal(error.requestId, 'checkout-7');
    assert.deepEqual(error.details.map(({ field }) => field).sort(), ['customer', 'originDomain', 'payment']);
    return true;
  });
  const stranger = new PixledgerClient({ apiKey: 'sk_test_wrong', baseUrl: world.baseUrl });
  await assert.rejects(stranger.store.get(), refused(401, 'ERR_AUTH_009'));
});

test('an error as a text has all that finds the cause', async () => {
  await assert.rejects(client.transactions.create({ payment: { amountCents: 0 } }, { requestId: 'checkout-8' }), (error) => {
    const text = String(error);
    assert.match(text, /^ApiError: 400 ERR_VALIDATION_001: The request is not valid; see details\. \(/);
    for (const { field, reason } of error.details) assert.ok(text.includes(`${field}: ${reason}`), text);
    assert.ok(error.details.length > 1 && text.endsWith(' (request checkout-8)'), text);
    return true;
  });
});

test('the same idempotency key does a thing once', async () => {
  const options = { idempotencyKey: 'order 77' };
  const first = await client.transactions.create(order, options);
  assert.deepEqual(await client.transactions.create(order, options), first);
  await assert.rejects(
    client.transactions.create({ ...order, payment: { ...order.payment, amountCents: 1 } }, options),
    refused(422, 'ERR_IDEMPOTENCY_003'),
  );
  for (const idempotencyKey of ['', 'two\nlines', 'ação', 'x'.repeat(256), 77])
    await assert.rejects(client.transactions.create(order, { idempotencyKey }), TypeError);
  assert.notEqual((await client.transactions.create(order, { idempotencyKey: null })).id, first.id);
});

test('an iterator gives every item once, although new ones push them from page to page', async () => {
  const originDomain = 'pages.example.com';
  const create = async () => (await client.transactions.create({ ...order, originDomain })).id;
  const expected = new Set();
  for (let i = 0; i < 7; i += 1) expected.add(await create());
  const seen = [];
  for await (const { id } of client.transactions.listAll({ originDomain, limit: 2 })) {
    seen.push(id);
    if (seen.length < 4) await create();
  }
  assert.equal(new Set(seen).size, seen.length);
  for (const id of expected) assert.ok(seen.includes(id));
  const none = [];
  for await (const item of client.transactions.listAll({ originDomain: 'nobody.example.com' })) none.push(item);
  assert.deepEqual(none, []);
});

test('channels are created, changed, tested, recovered and deleted', async () => {
  const url = 'https://127.0.0.1:8443/hooks';
  const channel = await client.channels.create({ name: 'loja', url, events: ['transaction.paid'] });
  assert.match(channel.secret, /^whsec_/);
  assert.equal((await client.channels.get(channel.id)).secretHint, channel.secret.slice(-4));
  assert.equal((await client.channels.list()).data[0].id, channel.id);
  const all = [];
  for await (const each of client.channels.listAll()) all.push(each.id);
  assert.deepEqual(all, [channel.id]);
  assert.equal((await client.channels.update(channel.id, { isActive: false })).isActive, false);
  await assert.rejects(client.channels.recover(channel.id, { since: new Date(0) }), refused(400, 'ERR_CHANNEL_003'));
  await client.channels.update(channel.id, { isActive: true });
  assert.equal(typeof (await client.channels.recover(channel.id, { since: new Date(Date.now() - 1000) })).queued, 'number');
  const rotated = await client.channels.rotateSecret(channel.id, { graceSeconds: 0 });
  assert.notEqual(rotated.secret, channel.secret);
  const delivery = await client.channels.test(channel.id);
  assert.equal(delivery.channelId, channel.id);
  assert.ok(Array.isArray((await client.channels.deliveries(channel.id)).data));
  assert.ok((await client.channels.events()).length >= 6);
  await assert.rejects(client.deliveries.redeliver('c000000000000000000000000'), refused(404, 'ERR_DELIVERY_001'));
  assert.equal((await client.channels.delete(channel.id)).id, channel.id);
  await assert.rejects(client.channels.get(channel.id), refused(404, 'ERR_CHANNEL_001'));
});
