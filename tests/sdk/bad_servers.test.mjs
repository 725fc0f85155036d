// The client against a server that misbehaves as told: what it tries again, and how it gives up.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ApiError, ConnectionError, PixledgerClient, PixledgerError, TimeoutError } from '../../sdk/node/index.mjs';

const order = { payment: { amountCents: 1990, product: 'Camiseta' } };
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
    await assert.rejects(make({ timeoutMs: 1_000, retries: 1 }).store.get(), TimeoutError);
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

test('an answer that is not the API’s is reported as such', async () => {
  await withStub([{ status: 502, body: '<html>' }], async ({ client: make }) => {
    await assert.rejects(make().store.get(), refused(502, 'ERR_HTTP_502'));
  });
  await withStub([{ body: '<html>' }], async ({ client: make }) => {
    await assert.rejects(make().store.get(), ConnectionError);
  });
  await withStub([{ status: 302, headers: { Location: 'http://127.0.0.1:1/' } }], async ({ client: make, requests }) => {
    await assert.rejects(make().store.get(), refused(302, 'ERR_HTTP_302'));
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

test('a refund whose amount is undefined is a mistake: without one it is of all', async () => {
  await withStub([{}], async ({ client: make, requests }) => {
    await assert.rejects(make().transactions.refund('c1', { amountCents: undefined }), TypeError);
    assert.equal(requests.length, 0);
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

test('an error as a text says what became of the call', async () => {
  await withStub([{ status: 502, body: '<html>' }], async ({ client: make }) => {
    await assert.rejects(make({ retries: 0 }).store.get(), (error) => `${error}` === 'ApiError: 502 ERR_HTTP_502: The server answered 502.');
  });
  await withStub(['reset'], async ({ client: make }) => {
    await assert.rejects(make({ retries: 0 }).store.get(), (error) => /^ConnectionError: No answer: /.test(String(error)));
  });
});
