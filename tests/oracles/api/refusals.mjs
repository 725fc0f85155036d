// What every operation has in common: it succeeds, repeats itself, and refuses what none takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unknownId } from './merchant.mjs';

const problemJson = { Accept: 'application/problem+json' };
const lenient = { Prefer: 'handling=lenient' };
// Each may fail to show a key so often in a minute, and here are many operations.
const addresses = (function* () {
  for (let last = 1; ; last = (last % 250) + 1) yield `203.0.113.${last}`;
})();
const isWrite = ({ method }) => method === 'POST' || method === 'PATCH';

export function common(merchant, operation) {
  const { id: name, method } = operation;
  const { document } = merchant;

  // A request that succeeds.
  const request = async () => ({
    id: await merchant.subjectOf(operation),
    body: merchant.bodyFor(operation),
  });
  // One that is well formed and finds nothing.
  const absent = () => ({ id: unknownId, body: merchant.bodyFor(operation) });
  const refuses = async (code, status, wrong) => {
    await merchant.expect(code, name, wrong);
    const problem = await merchant.call(name, { ...wrong, headers: { ...wrong.headers, ...problemJson } });
    assert.equal(problem.headers['content-type'], 'application/problem+json');
    assert.deepEqual([problem.json.code, problem.json.status, problem.status], [code, status, status]);
  };

  test(`${name} succeeds`, async () => {
    const own = 'checkout-7.1';
    const { status, headers, body } = await merchant.call(name, {
      ...(await request()),
      headers: { 'X-Request-Id': own },
    });
    assert.ok(status < 300, body);
    assert.equal(headers['x-request-id'], own);
  });

  if (method === 'GET') {
    test(`${name} answers HEAD and a trailing slash like GET`, async () => {
      const { id } = await request();
      const got = await merchant.call(name, { id });
      assert.equal(got.status, 200, got.body);
      const head = await merchant.call(name, { id, method: 'HEAD' });
      assert.deepEqual([head.status, head.headers['content-type']], [200, got.headers['content-type']]);
      const headers = { Authorization: `Bearer ${merchant.keyFor(name)}` };
      const slashed = await merchant.service.send({
        method,
        path: merchant.path(operation, id).replace(/(?=\?|$)/, '/'),
        headers,
      });
      assert.equal(slashed.status, 200);
    });
  }

  if (isWrite(operation)) {
    test(`${name} repeats its answer to the same Idempotency-Key`, async () => {
      const first = { ...(await request()), headers: { 'Idempotency-Key': `${name}-1` } };
      const done = await merchant.call(name, first);
      assert.ok(done.status < 300, done.body);
      const again = await merchant.call(name, first);
      assert.deepEqual(
        [again.status, again.body, again.headers['idempotent-replayed']],
        [done.status, done.body, 'true'],
      );
      if (!operation.body) return;
      await refuses('ERR_IDEMPOTENCY_003', 422, {
        body: { ...first.body, note: 'another body' },
        id: first.id,
        headers: { ...first.headers, ...lenient },
      });
    });

    test(`${name} refuses an Idempotency-Key that is too long`, async () => {
      await refuses('ERR_IDEMPOTENCY_001', 400, {
        ...(await request()),
        headers: { 'Idempotency-Key': 'x'.repeat(256) },
      });
    });
  }

  if (!operation.isPublic) {
    test(`${name} refuses callers without a key, or without its scope`, async () => {
      const headers = { 'X-Forwarded-For': addresses.next().value };
      await refuses('ERR_AUTH_009', 401, { ...absent(), key: null, headers });
      const key = merchant.keyWithoutScopeOf(operation);
      if (operation.scope) await refuses('ERR_AUTH_010', 403, { ...absent(), key });
      else await merchant.expect(200, name, { key });
    });
  }

  if (operation.path.includes('{id}')) {
    test(`${name} refuses a bad id, and knows no others`, async () => {
      const { details } = await merchant.expect('ERR_VALIDATION_001', name, { ...absent(), id: 'x-1' });
      assert.deepEqual(
        details.map(({ field }) => field),
        ['id'],
      );
      const { status, body } = await merchant.call(name, absent());
      assert.equal(status, 404, body);
    });
  }

  if (!operation.isPublic) {
    test(`${name} says as a problem what is not valid`, async () => {
      const query = operation.parameters.some((one) => one.name === 'limit') ? { limit: '0' } : { limt: '1' };
      await refuses('ERR_VALIDATION_001', 400, { id: 'x-1', query, body: operation.body && '[]' });
    });

    test(`${name} refuses what it does not know, unless asked to be lenient`, async () => {
      const isOfThing = operation.path.includes('{id}');
      const wrong = { id: isOfThing ? unknownId : (await request()).id, query: { surprise: '1' }, body: { ...merchant.bodyFor(operation), surprise: 1 } };
      const { details } = await merchant.expect('ERR_VALIDATION_001', name, wrong);
      assert.deepEqual(
        details.map(({ field }) => field),
        ['surprise', 'surprise'],
      );
      const { status, headers, body } = await merchant.call(name, {
        ...wrong,
        id: (await request()).id,
        headers: lenient,
      });
      assert.ok(status < 300, body);
      assert.equal(headers['preference-applied'], 'handling=lenient');
    });
  }

  if (operation.body) {
    test(`${name} refuses bodies that are not JSON`, async () => {
      const { id } = await request();
      await refuses('ERR_HTTP_415', 415, {
        id,
        body: 'a=b',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
      const { details } = await merchant.expect('ERR_VALIDATION_001', name, { id, body: '{"a":' });
      assert.deepEqual(
        details.map(({ field }) => field),
        ['body'],
      );
    });
  }

  test(`${name} refuses requests that HTTP does not allow, and too large ones`, async () => {
    const head = `${method} ${merchant.path(operation)} HTTP/1.1\r\nHost: localhost\r\n`;
    const refusesBytes = async (code, rest) => {
      const reply = await merchant.service.sendBytes(`${head}${rest}\r\n\r\n`);
      document.checkReply(operation, reply);
      assert.equal(JSON.parse(reply.body).code, code);
    };
    await refusesBytes('ERR_HTTP_400', 'Content-Length: 1\r\nContent-Length: 2');
    await refusesBytes('ERR_HTTP_413', `Authorization: Bearer ${merchant.project.testKey}\r\nContent-Length: ${64 * 1024 + 1}`);
    await refusesBytes('ERR_HTTP_431', `X-Padding: ${'x'.repeat(16 * 1024)}`);
  });

  test(`${name} names the methods of its path`, async () => {
    const path = merchant.path(operation);
    const wrong = await merchant.service.send({ method: 'PUT', path });
    document.checkReply(operation, wrong);
    assert.equal(wrong.status, 405);
    const options = await merchant.service.send({ method: 'OPTIONS', path });
    assert.deepEqual([options.status, options.body], [204, '']);
    for (const allow of [wrong.headers.allow, options.headers.allow])
      assert.ok(allow.split(', ').includes(method), allow);
  });
}

// Needs a server that limits rates.
export function limited(merchant, operation) {
  test(`${operation.id} refuses callers over their rate`, async () => {
    // As many as the bucket may hold, and those that drip in meanwhile.
    const attempts = 10;
    for (let i = 0; i < attempts; i++) {
      const { json } = await merchant.call(operation.id, { id: unknownId, body: operation.body && '{}' });
      if (json.code === 'ERR_RATE_001') return;
    }
    assert.fail(`${attempts} requests were let through`);
  });
}
