// The client against a real server, and against one that misbehaves as told.
import assert from 'node:assert/strict';
import http from 'node:http';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import { ApiError, ConnectionError, PixledgerClient, PixledgerError, TimeoutError } from '../../sdk/node/index.mjs';
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

// Answers each request with the next of `answers`, the last one again and again: {status, headers, body},
// 'reset', 'hang', or a function. Remembers the requests.
async function stub(answers) {
  const requests = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      requests.push({ method: request.method, url: request.url, headers: request.headers, body });
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      if (answer === 'reset') return request.socket.destroy();
      if (answer === 'hang') return undefined;
      const { status = 200, headers = {}, body: text = '{"success":true,"data":{"id":"c1"}}' } = answer;
      response.writeHead(status, headers);
      return response.end(text);
    });
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  return {
    requests,
    client: (options) => new PixledgerClient({ apiKey: 'sk_test_x', baseUrl, ...options }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function withStub(answers, use) {
  const server = await stub(answers);
  try {
    return await use(server);
  } finally {
    server.close();
  }
}

const failure = (status, code = 'ERR_X_001', headers = {}) => ({
  status,
  headers,
  body: JSON.stringify({ success: false, code, message: 'no', details: [{ field: 'a', reason: 'b' }], requestId: 'req_1' }),
});

// --- against a real server ---

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
  for (const [path, methods] of Object.entries(paths)) {
    for (const method of Object.keys(methods).filter((each) => /^(get|post|put|patch|delete)$/.test(each)))
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
  const { data, meta } = await client.transactions.list({ search: 'order-1', dateFrom: new Date(created.expirationDate.slice(0, 10)) });
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
  await withStub([{ status: 502, body: '<html>' }], async ({ client: make }) => {
    await assert.rejects(make({ retries: 0 }).store.get(), (error) => `${error}` === 'ApiError: 502 ERR_HTTP_502: The server answered 502.');
  });
  await withStub(['reset'], async ({ client: make }) => {
    await assert.rejects(make({ retries: 0 }).store.get(), (error) => /^ConnectionError: No answer: /.test(String(error)));
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

// --- against a server that misbehaves ---

test('what is temporary is tried again, under one idempotency key', async () => {
  const bumpy = [failure(503), failure(429, 'ERR_RATE_001', { 'Retry-After': '0' }), failure(409, 'ERR_IDEMPOTENCY_002'), 'reset', {}];
  await withStub(bumpy, async ({ client: make, requests }) => {
    assert.deepEqual(await make().transactions.create(order), { id: 'c1' });
    assert.equal(requests.length, 5);
    const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']));
    assert.equal(keys.size, 1);
    assert.match([...keys][0], /^[0-9a-f-]{36}$/);
    assert.ok(requests.every(({ body }) => body === JSON.stringify(order)));
  });
});

test('every POST and PATCH has a key of its own, other methods have none', async () => {
  await withStub([{}], async ({ client: make, requests }) => {
    const each = make();
    await each.transactions.create(order);
    await each.transactions.create(order);
    await each.sandbox.pay('c1');
    await each.store.update({ name: 'x' });
    await each.store.get();
    await each.blocklist.remove('c1');
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    assert.equal(new Set(keys.slice(0, 4)).size, 4);
    assert.deepEqual(keys.slice(4), [undefined, undefined]);
  });
});

test('what is not temporary is not tried again', async () => {
  for (const [status, code] of [[400, 'ERR_VALIDATION_001'], [409, 'ERR_OTHER_001'], [422, 'ERR_IDEMPOTENCY_003'], [500, 'ERR_HTTP_500']]) {
    await withStub([failure(status, code)], async ({ client: make, requests }) => {
      await assert.rejects(make().transactions.create(order), refused(status, code));
      assert.equal(requests.length, 1);
    });
  }
});

test('a DELETE whose answer is lost is repeated, and what is gone then is removed', async () => {
  const notFound = failure(404, 'ERR_BLOCKLIST_001');
  await withStub(['reset', {}], async ({ client: make }) => {
    assert.deepEqual(await make().blocklist.remove('c1'), { id: 'c1' });
  });
  for (const uncertain of ['reset', failure(502), failure(503), failure(504)]) {
    await withStub([uncertain, notFound], async ({ client: make, requests }) => {
      assert.equal(await make().blocklist.remove('c1'), null);
      assert.equal(requests.length, 2);
    });
  }
  for (const before of [[], [failure(429)]]) {
    await withStub([...before, notFound], async ({ client: make }) => {
      await assert.rejects(make().blocklist.remove('c1'), refused(404, 'ERR_BLOCKLIST_001'));
    });
  }
  await withStub(['reset', notFound], async ({ client: make }) => {
    await assert.rejects(make().store.get(), refused(404, 'ERR_BLOCKLIST_001'));
  });
});

test('a pause that the server asks for is kept, one that is too long is told', async () => {
  // A date has whole seconds only: of three, more than two are left.
  const date = new Date(Date.now() + 3000).toUTCString();
  for (const [value, atLeast] of [[date, 1500], ['1', 1000]]) {
    await withStub([failure(429, 'ERR_RATE_001', { 'Retry-After': value }), {}], async ({ client: make }) => {
      const started = Date.now();
      await make().store.get();
      assert.ok(Date.now() - started >= atLeast - 5);
    });
  }
  await withStub([failure(503, 'ERR_HTTP_503', { 'Retry-After': '3600' })], async ({ client: make, requests }) => {
    await assert.rejects(make().store.get(), (error) => error.retryAfterMs === 3_600_000);
    assert.equal(requests.length, 1);
  });
});

test('the last error is what the caller gets when nothing helps', async () => {
  await withStub([failure(503)], async ({ client: make, requests }) => {
    await assert.rejects(make({ retries: 2 }).store.get(), refused(503, 'ERR_X_001'));
    assert.equal(requests.length, 3);
    await assert.rejects(make().store.get({ retries: 0 }), refused(503, 'ERR_X_001'));
    assert.equal(requests.length, 4);
  });
  await withStub(['reset'], async ({ client: make }) => {
    await assert.rejects(make({ retries: 1 }).store.get(), (error) => error instanceof ConnectionError && !(error instanceof TimeoutError));
  });
});

test('a server that hangs is given up in time, and a signal ends everything at once', async () => {
  await withStub(['hang'], async ({ client: make, requests }) => {
    await assert.rejects(make({ timeoutMs: 50, retries: 1 }).store.get(), TimeoutError);
    assert.equal(requests.length, 2);
    const controller = new AbortController();
    const call = make().store.get({ signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    await assert.rejects(call, (error) => error === reason);
    await assert.rejects(make().store.get({ signal: controller.signal }), (error) => error === reason);
  });
  await withStub([failure(503, 'ERR_HTTP_503', { 'Retry-After': '30' })], async ({ client: make, requests }) => {
    const controller = new AbortController();
    const call = make().store.get({ signal: controller.signal });
    while (requests.length === 0) await new Promise(setImmediate);
    controller.abort();
    await assert.rejects(call, { name: 'AbortError' });
  });
});

test('an answer that is none of the API’s is told as such', async () => {
  await withStub([{ status: 502, body: '<html>' }], async ({ client: make }) => {
    await assert.rejects(make().store.get(), refused(502, 'ERR_HTTP_502'));
  });
  await withStub([{ body: '<html>' }], async ({ client: make }) => {
    await assert.rejects(make().store.get(), ConnectionError);
  });
  await withStub([{ status: 302, headers: { Location: 'http://127.0.0.1:1/' } }], async ({ client: make, requests }) => {
    await assert.rejects(make({ retries: 0 }).store.get(), ConnectionError);
    assert.equal(requests.length, 1);
  });
});

test('ids cannot leave their place in the path', async () => {
  await withStub([{}], async ({ client: make, requests }) => {
    await make().transactions.get('a/../b?c#d');
    assert.equal(requests[0].url, '/api/v1/transactions/a%2F..%2Fb%3Fc%23d');
    for (const bad of ['', '.', '..', undefined, 7]) await assert.rejects(make().transactions.get(bad), TypeError);
  });
});

test('the key is neither sent in plain text nor printed', async () => {
  const make = (baseUrl, more) => new PixledgerClient({ apiKey: 'sk_live_secret', baseUrl, ...more });
  assert.throws(() => make('http://pay.example.com'), TypeError);
  assert.throws(() => make('https://user:pass@pay.example.com'), TypeError);
  assert.throws(() => make('ftp://pay.example.com'), TypeError);
  for (const baseUrl of ['https://pay.example.com/', 'http://localhost:8080', 'http://127.0.0.1:1', 'http://[::1]:1']) make(baseUrl);
  make('http://pay.example.com', { allowHttp: true });
  assert.ok(!inspect(make('https://pay.example.com'), { depth: 9, showHidden: true }).includes('secret'));
  assert.throws(() => new PixledgerClient({ apiKey: 'a b', baseUrl: 'https://pay.example.com' }), TypeError);
  assert.throws(() => new PixledgerClient({ baseUrl: 'https://pay.example.com' }), TypeError);
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
