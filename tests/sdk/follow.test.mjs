// The follower of the event feed against a server that answers as the contract says, and breaks off as told.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { ApiError, ConnectionError, PixledgerClient, TimeoutError } from '../../sdk/node/index.mjs';

// A feed of events e1, e2, … of one history; cursors of another one were cut off after `resumeAfter`. `disturb` may
// answer a request, by its number, in the feed's place.
class Feed {
  events = [];
  requests = []; // the queries, as they came
  cutOff; // {after, resumeAfter}
  disturb = () => false;
  #waiting = new Set();
  #server = http.createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    assert.equal(`${request.method} ${url.pathname}`, 'GET /api/v1/events');
    this.requests.push(Object.fromEntries(url.searchParams));
    if (!this.disturb(this.requests.length, response)) this.#answer(Object.fromEntries(url.searchParams), response);
  });

  static async open() {
    const feed = new Feed();
    await new Promise((resolve) => {
      feed.#server.listen(0, '127.0.0.1', resolve);
    });
    return feed;
  }

  client(options) {
    return new PixledgerClient({ apiKey: 'sk_test_x', baseUrl: `http://127.0.0.1:${this.#server.address().port}`, ...options });
  }

  add(event = 'transaction.created') {
    const id = `e${this.events.length + 1}`;
    this.events.push({ id, event, transactionId: 'c1', customerId: null, occurredAt: '2026-03-01T12:00:00.000Z', data: {} });
    for (const look of this.#waiting) look();
  }

  waiting() {
    return this.#waiting.size;
  }

  #answer({ after, limit = '100', wait = '0', types }, response) {
    if (this.cutOff && after === this.cutOff.after) {
      const details = [{ field: 'after', reason: 'was cut off', resumeAfter: this.cutOff.resumeAfter }];
      return json(response, 409, { success: false, code: 'ERR_CURSOR_001', message: 'Restored.', details, requestId: 'r1' });
    }
    const start = after === 'now' ? this.events.length : Number((after ?? 'e0').slice(1));
    const look = (isLate = false) => {
      const read = this.events.slice(start, start + Number(limit));
      const data = read.filter(({ event }) => !types || types.split(',').includes(event));
      if (data.length === 0 && !isLate) return;
      clearTimeout(timer);
      this.#waiting.delete(look);
      json(response, 200, { success: true, data, meta: { next: `e${start + read.length}` } });
    };
    const timer = setTimeout(look, 1000 * Number(wait), true).unref();
    this.#waiting.add(look);
    return look();
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function json(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

const about = (sentence, use) =>
  test(sentence, { timeout: 60_000 }, async () => {
    const feed = await Feed.open();
    try {
      await use(feed);
    } finally {
      feed.close();
    }
  });
// The ids of the next `count` events, of which each is made when the one before has come.
async function take(count, iterator, next = () => {}) {
  const ids = [];
  while (ids.length < count) {
    const { value, done } = await iterator.next();
    assert.equal(done, false);
    ids.push(value.id);
    next();
  }
  return ids;
}
const until = async (condition) => {
  while (!condition()) await new Promise(setImmediate);
};

about('everything there is comes, page by page, and then what happens', async (feed) => {
  for (let i = 0; i < 5; i += 1) feed.add();
  const events = feed.client().events.follow({ limit: 2 });
  assert.deepEqual(await take(5, events), ['e1', 'e2', 'e3', 'e4', 'e5']);
  const next = take(2, events, () => feed.add());
  await until(() => feed.waiting() === 1);
  feed.add();
  assert.deepEqual(await next, ['e6', 'e7']);
  assert.deepEqual(feed.requests.map(({ after }) => after), [undefined, 'e2', 'e4', 'e5', 'e6']);
  assert.ok(feed.requests.every(({ wait, limit }) => wait === '20' && limit === '2'));
});

about('it begins after a cursor, and asks for the events that are wanted', async (feed) => {
  for (const event of ['transaction.created', 'transaction.paid', 'store.changed', 'transaction.paid']) feed.add(event);
  const types = ['transaction.paid', 'customer.blocked'];
  assert.deepEqual(await take(1, feed.client().events.follow({ after: 'e2', types })), ['e4']);
  assert.deepEqual(await take(2, feed.client().events.follow({ types: 'store.changed,transaction.paid' })), ['e2', 'e3']);
  assert.equal(feed.requests[0].types, 'transaction.paid,customer.blocked');
  assert.equal(feed.requests[1].types, 'store.changed,transaction.paid');
});

about('"now" is a place: what happens while a connection breaks is not missed', async (feed) => {
  feed.add();
  feed.disturb = (number, response) => {
    if (number !== 2) return false;
    feed.add();
    return response.destroy();
  };
  assert.deepEqual(await take(1, feed.client().events.follow({ after: 'now' })), ['e2']);
  assert.deepEqual(feed.requests, [{ after: 'now' }, { wait: '20', after: 'e1' }, { wait: '20', after: 'e1' }]);
});

about('whatever is temporary is borne, longer than by other calls', async (feed) => {
  feed.add();
  const troubles = [
    (response) => response.destroy(),
    (response) => json(response, 503, { success: false, code: 'ERR_HTTP_503', message: 'later', details: [] }),
    (response) => response.writeHead(502).end('<html>'),
    (response) => response.writeHead(200, { 'Content-Length': '900' }).write('{"success":', () => response.destroy()),
    (response) => json(response, 429, { success: false, code: 'ERR_RATE_001', message: 'slower', details: [] }),
  ];
  feed.disturb = (number, response) => {
    troubles[number - 2]?.(response);
    return number - 2 in troubles;
  };
  const started = Date.now();
  const events = feed.client({ retries: 1 }).events.follow();
  assert.deepEqual(await take(1, events), ['e1']);
  feed.add();
  assert.deepEqual(await take(1, events), ['e2']);
  assert.equal(feed.requests.length, 2 + troubles.length);
  assert.ok(Date.now() - started > 100, 'it pauses');
});

about('a caller who was never answered, or asks for few repeats, is told', async (feed) => {
  feed.disturb = (number, response) => response.destroy();
  await assert.rejects(feed.client({ retries: 1 }).events.follow().next(), ConnectionError);
  assert.equal(feed.requests.length, 2);
  feed.disturb = (number, response) => number > 3 && response.destroy();
  feed.add();
  const events = feed.client().events.follow({}, { retries: 1 });
  assert.deepEqual(await take(1, events), ['e1']);
  await assert.rejects(events.next(), ConnectionError);
  assert.equal(feed.requests.length, 5);
});

about('where a restore has cut history off, it goes on from where that ends', async (feed) => {
  feed.add();
  feed.cutOff = { after: 'e9', resumeAfter: 'e1' };
  const events = feed.client().events.follow({ after: 'e9' });
  const next = take(1, events);
  await until(() => feed.waiting() === 1);
  feed.add();
  assert.deepEqual(await next, ['e2']);
  assert.deepEqual(feed.requests.map(({ after }) => after), ['e9', 'e1']);
  feed.cutOff = { after: 'e2', resumeAfter: 'e0' };
  assert.deepEqual(await take(2, events), ['e1', 'e2'], 'also on the way');
});

about('a cursor that leads to itself, or nowhere, ends it', async (feed) => {
  for (const resumeAfter of ['e9', undefined]) {
    feed.cutOff = { after: 'e9', resumeAfter };
    await assert.rejects(
      feed.client().events.follow({ after: 'e9' }).next(),
      (error) => error instanceof ApiError && error.code === 'ERR_CURSOR_001',
    );
  }
  assert.equal(feed.requests.length, 2);
});

about('what repeating does not mend ends it', async (feed) => {
  feed.disturb = (number, response) =>
    number > 1 && json(response, 401, { success: false, code: 'ERR_AUTH_009', message: 'expired', details: [] }) === undefined;
  feed.add();
  const events = feed.client().events.follow();
  await take(1, events);
  await assert.rejects(events.next(), (error) => error instanceof ApiError && error.status === 401);
  assert.equal(feed.requests.length, 2);
});

about('waiting takes none of the time that an answer has', async (feed) => {
  const client = feed.client({ timeoutMs: 300, retries: 0 });
  assert.deepEqual((await client.events.list({ wait: 1 })).data, []);
  feed.disturb = () => true;
  await assert.rejects(client.events.list({ wait: 1 }), TimeoutError);
});

about('a signal ends it, also while it pauses', async (feed) => {
  feed.add();
  const controller = new AbortController();
  const events = feed.client().events.follow({}, { signal: controller.signal });
  await take(1, events);
  feed.disturb = (number, response) => response.writeHead(503, { 'Retry-After': '3600' }).end();
  const next = events.next();
  await until(() => feed.requests.length === 2);
  const reason = new Error('enough');
  controller.abort(reason);
  await assert.rejects(next, (error) => error === reason);
});
