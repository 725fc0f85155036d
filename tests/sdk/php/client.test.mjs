// What is PHP's own in the client: arrays that are lists and objects, warnings, proxies, iterators, stack traces. What
// every SDK does is in sdk/conformance.
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Document } from '../../../scripts/lib/reference/openapi.mjs';
import { run } from './php.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

// Answers with the next of `answers`, the last one again and again; remembers the requests.
async function withServer(answers, use) {
  const requests = [];
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      requests.push({ url: request.url, headers: request.headers, body: Buffer.concat(parts).toString() });
      response.end(JSON.stringify(answers[Math.min(requests.length, answers.length) - 1]));
    });
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    return await use({ baseUrl: `http://127.0.0.1:${server.address().port}`, requests });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

// Listens until the test has ended, well or badly.
async function listening(server, context) {
  context.after(() => server.close());
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
}

const ok = { success: true, data: { id: 'c1' } };
const mistake = (call) => `try { ${call} } catch (\\InvalidArgumentException $error) { return $error->getMessage(); }`;
const client = `$client = new PixledgerClient('sk_test_x', $input['baseUrl']);`;
// The body that a call sends.
const bodyOf = (call) =>
  withServer([ok], async ({ baseUrl, requests }) => {
    await run(`${client} ${call}; return null;`, { baseUrl });
    return requests[0].body;
  });

test('empty arrays go out as objects, and as lists where the API has lists', async () => {
  assert.equal(await bodyOf(`$client->store->update([])`), '{}');
  assert.equal(await bodyOf(`$client->transactions->refund('c1')`), '{}');
  assert.equal(await bodyOf(`$client->transactions->create(['metadata' => []])`), '{"metadata":{}}');
  const lists = `['events' => [], 'environments' => []]`;
  assert.equal(await bodyOf(`$client->channels->create(${lists})`), '{"events":[],"environments":[]}');
  assert.equal(await bodyOf(`$client->channels->create(['events' => ['a', 'b']])`), '{"events":["a","b"]}');
});

test('the lists of the API are those that the SDK knows', async () => {
  const document = new Document(root);
  const lists = new Set();
  const walk = (given) => {
    const schema = document.resolved(given);
    for (const part of schema.allOf ?? []) walk(part);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const resolved = document.resolved(property);
      if ([resolved.type].flat().includes('array')) lists.add(name);
      walk(property);
    }
  };
  // What people do who sign in, no program with a key.
  const isOfPeople = ({ tags, security = [] }) =>
    tags.includes('Sign-in') || security.some(({ userToken }) => userToken);
  for (const item of Object.values(document.json.paths))
    for (const operation of Object.values(item))
      if (operation.requestBody && !isOfPeople(operation))
        walk(document.resolved(operation.requestBody).content['application/json'].schema);
  assert.deepEqual(await run('return Internal\\Wire::LISTS;'), [...lists].sort());
});

test('metadata is an object, also with numbers as names, in bodies and queries', async () => {
  const metadata = `['metadata' => ['0' => 'a', '1' => 'b']]`;
  assert.equal(await bodyOf(`$client->transactions->create(${metadata})`), '{"metadata":{"0":"a","1":"b"}}');
  await withServer([{ ...ok, data: [], meta: {} }], async ({ baseUrl, requests }) => {
    await run(`${client} return $client->transactions->list(['metadata' => ['0' => 'a']]);`, { baseUrl });
    assert.deepEqual([...new URL(requests[0].url, baseUrl).searchParams], [['metadata[0]', 'a']]);
  });
});

test('a time is sent in UTC with milliseconds, wherever the shop is', async () => {
  const time = `new \\DateTimeImmutable('2026-03-01 09:00:00.5', new \\DateTimeZone('America/Sao_Paulo'))`;
  const recover = `$client->channels->recover('c1', ['since' => ${time}])`;
  assert.equal(await bodyOf(recover), '{"since":"2026-03-01T12:00:00.500Z"}');
  await withServer([ok], async ({ baseUrl, requests }) => {
    await run(`${client} return $client->transactions->getAsOf('c1', ['asOf' => ${time}]);`, { baseUrl });
    assert.equal(new URL(requests[0].url, baseUrl).searchParams.get('asOf'), '2026-03-01T12:00:00.500Z');
  });
});

test('texts go out as they are, and what is no UTF-8 is a mistake of the caller', async () => {
  const name = 'Loja “São João” / 1';
  assert.equal(await bodyOf(`$client->store->update(['name' => '${name}'])`), `{"name":"${name}"}`);
  const call = `$client->store->update(['name' => "\\xff"]);`;
  assert.match(await run(`${client} ${mistake(call)}`, { baseUrl: 'http://127.0.0.1:1' }), /UTF-8/);
});

test('a large body is sent at once, without waiting for permission', async () => {
  await withServer([ok], async ({ baseUrl, requests }) => {
    await run(`${client} return $client->store->update(['logo' => str_repeat('x', 2_000_000)]);`, { baseUrl });
    assert.equal(requests[0].headers.expect, undefined);
    assert.equal(requests[0].body.length, 2_000_000 + '{"logo":""}'.length);
  });
});

test('an option that does not exist is a mistake, everywhere', async () => {
  const misused = (call) => `$said[] = (function () use ($client, $input) { ${mistake(`${call};`)} })();`;
  const said = await run(
    `${client}
    ${misused(`new PixledgerClient('sk_test_x', $input['baseUrl'], ['timeoutMs' => 1])`)}
    ${misused(`$client->transactions->create([], ['idempotency_key' => 'a'])`)}
    ${misused(`$client->events->follow([], ['idempotencyKey' => 'a'])->current()`)}
    ${misused(`verifyWebhook('', [], 's', ['tolerance' => 1])`)}
    ${misused(`verifyWebhook('', [], 's', ['versions' => ['v3']])`)}
    ${misused(`verifyReturn('', base64_encode(str_repeat('x', 32)), ['sessionId' => 'c1'])`)}
    ${misused(`verifyReceipt('', str_repeat('x', 32), ['id' => 'c1'])`)}
    return $said;`,
    { baseUrl: 'http://127.0.0.1:1' },
  );
  assert.equal(said.length, 7);
  for (const each of said) assert.match(each, /^There is no option|^versions must be/);
});

test('an iterator can be made an array of: pages do not overwrite each other', async () => {
  const itemsOf = (ids) => ids.map((id) => ({ id }));
  const page = (ids, number) => ({ success: true, data: itemsOf(ids), meta: { page: number, totalPages: 2 } });
  await withServer([page(['a', 'b'], 1), page(['c'], 2)], async ({ baseUrl }) => {
    const items = await run(`${client} return iterator_to_array($client->customers->listAll());`, { baseUrl });
    assert.deepEqual(items, itemsOf(['a', 'b', 'c']));
  });
});

test('integers of 64 bits stay what they are', async () => {
  await withServer([ok], async ({ baseUrl, requests }) => {
    const update = `$client->store->update(['maxTransactionAmountCents' => 9007199254740993]);`;
    await run(`${client} return ${update}`, { baseUrl });
    assert.equal(requests[0].body, '{"maxTransactionAmountCents":9007199254740993}');
  });
});

test('a key never goes through a proxy in plain text', async (context) => {
  const proxied = [];
  const proxy = net.createServer((socket) => proxied.push(socket.destroy()));
  await listening(proxy, context);
  const address = `http://127.0.0.1:${proxy.address().port}`;
  const names = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];
  const env = { no_proxy: '', NO_PROXY: '', ...Object.fromEntries(names.map((name) => [name, address])) };
  await withServer([ok], async ({ baseUrl, requests }) => {
    await run(`${client} return $client->store->get();`, { baseUrl }, env);
    assert.equal(requests.length, 1);
  });
  assert.equal(proxied.length, 0);
});

test('a file of certificates that is missing is a mistake, not a warning', async () => {
  const make = `new PixledgerClient('sk_test_x', 'https://pay.example.com', ['caFile' => '/nonexistent']);`;
  assert.match(await run(mistake(make)), /caFile/);
});

test('an answer that is JSON, but has no data, is not the API’s', async () => {
  for (const answer of [{ success: true }, { success: true, data: 7 }, { success: true, data: [], meta: null }])
    await withServer([answer], async ({ baseUrl, requests }) => {
      const list = `try { $client->transactions->list(); }`;
      const call = `${client} ${list} catch (ConnectionError $error) { return [$error->isTemporary]; }`;
      assert.deepEqual(await run(call, { baseUrl }), [false]);
      assert.equal(requests.length, 1);
    });
});

test('an error as a text says what became of the call, and where it was made', async (context) => {
  const details = [{ field: 'a', reason: 'is b' }];
  const refusal = { success: false, code: 'ERR_X_001', message: 'no', details, requestId: 'req_1' };
  const server = http.createServer((request, response) => response.writeHead(400).end(JSON.stringify(refusal)));
  await listening(server, context);
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  const call = `try { $client->store->get(); } catch (ApiError $error) { return (string) $error; }`;
  const text = await run(`${client} ${call}`, { baseUrl });
  assert.match(text, /^Pixledger\\ApiError: 400 ERR_X_001: no \(a: is b\) \(request req_1\) in .*\nStack trace:\n#0 /);
});

test('an error handler that throws finds no key in the stack, nor does a signal handler', async () => {
  const key = 'sk_live_0123456789SECRET';
  await withServer([ok], async ({ baseUrl }) => {
    const seen = await run(
      `pcntl_async_signals(true);
      pcntl_signal(SIGALRM, fn () => throw new \\RuntimeException('alarm'));
      $client = new PixledgerClient($input['key'], 'http://127.0.0.1:1', ['retries' => 4]);
      pcntl_alarm(1);
      while (true) {
        try {
          $client->store->get();
        } catch (ConnectionError) {
          continue;
        } catch (\\RuntimeException $error) {
          return [print_r($error->getTrace(), true), $error->getMessage()];
        }
      }`,
      { baseUrl, key },
    );
    assert.equal(seen[1], 'alarm');
    assert.match(seen[0], /send/);
    assert.ok(!seen[0].includes('SECRET'));
  });
});

test('a mistake in the options of a verification shows no secret', async () => {
  const frames = await run(
    `try { verifyWebhook('{}', ['X_SECRET' => 'SECRET'], $input, ['tolerance' => 1]); }
    catch (\\InvalidArgumentException $error) { return print_r($error->getTrace(), true); }`,
    'SECRET',
  );
  assert.match(frames, /verifyWebhook/);
  assert.ok(!frames.includes('SECRET'), frames);
});

test('PHP 8.1 hides no arguments: the key and the secret are gone from them before an error is made', async () => {
  // What SensitiveParameter hides is shown here.
  const shown = await run(
    `$show = function (array $frames): string {
      $text = '';
      foreach ($frames as $frame) {
        foreach ($frame['args'] ?? [] as $each) {
          $text .= json_encode($each instanceof \\SensitiveParameterValue ? $each->getValue() : null);
        }
      }
      return $text;
    };
    $texts = [];
    foreach ([
      fn () => new PixledgerClient('sk_live_SECRET' . $input['space'], 'https://pay.example.com'),
      fn () => new PixledgerClient('sk_live_SECRET', 'http://pay.example.com'),
      fn () => verifyWebhook('{}', ['x-webhook-signature' => str_repeat('a', 64)], 'SECRET' . $input['space']),
      fn () => verifyWebhook('{}', ['X_SECRET' => 'SECRET'], ['a', 'SECRET']),
    ] as $use) {
      try { $use(); } catch (\\Exception $error) { $texts[] = $show($error->getTrace()); }
    }
    return $texts;`,
    { space: ' ' },
  );
  assert.equal(shown.length, 4);
  for (const each of shown) assert.ok(!each.includes('SECRET'), each);
});
