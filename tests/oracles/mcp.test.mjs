// `pixledger mcp`, driven by the protocol's own client on a real server. Environment:
//   PIXLEDGER_BIN_DIR  where the programs are (required)
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Service } from './api/service.mjs';

const program = join(process.env.PIXLEDGER_BIN_DIR, 'pixledger');
const service = new Service();
await service.start(...Service.mayTargetItself);
service.startWorker();
const folder = mkdtempSync(join(tmpdir(), 'pixledger-mcp-'));
after(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});
const project = await service.pixledger('project', 'create', '--name', 'Loja', '--pix-key', 'loja@example.com', '--merchant-city', 'RECIFE');
const person = { name: 'Ana Segredo', document: '52998224725', email: 'segredo@example.com', phone: '11987650000' };

async function create(key) {
  const answer = await service.send({
    method: 'POST',
    path: '/api/v1/transactions',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ customer: person, payment: { amountCents: 1990, product: 'Camiseta' }, originDomain: 'loja.example.com', metadata: { note: 'segredo' } }),
  });
  assert.equal(answer.status, 201, answer.body);
  return JSON.parse(answer.body).data;
}
const charge = await create(project.testKey);
const live = await create(project.liveKey);

const environment = (key) => ({ PATH: process.env.PATH, ...(key && { PIXLEDGER_KEY: key }) });

async function connect(t, key, ...options) {
  return connectTo(t, service.url, key, ...options);
}

async function connectTo(t, url, key, ...options) {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: program, args: ['mcp', '--api', url, ...options], env: environment(key) }));
  t.after(() => client.close());
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    // What a tool answers; the text says the same.
    async call(name, args = {}) {
      const result = await client.callTool({ name, arguments: args });
      assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
      const text = JSON.stringify(result);
      for (const secret of [...Object.values(person), 'egredo', 'br.gov.bcb.pix', 'sk_test_', 'sk_live_']) assert.ok(!text.includes(secret), `${name} shows ${secret}`);
      return result.isError ? { error: result.structuredContent.error } : result.structuredContent;
    },
  };
}

test('a test key reads documents and charges, and tries things out', async (t) => {
  const { client, names, call } = await connect(t, project.testKey);
  assert.equal(client.getServerVersion().name, 'pixledger');
  assert.equal((await names()).length, 10);

  const { results } = await call('search_docs', { query: 'refund within 90 days' });
  assert.ok(results.some(({ path }) => path === '/docs/guide/refunds.md'), JSON.stringify(results));
  assert.ok((await call('read_doc', { path: '/docs/guide/refunds.md' })).text.startsWith('# Refund'));

  const made = await call('create_test_charge', { amountCents: 500, externalId: 'pedido-1' });
  assert.equal(made.status, 'waiting_payment');
  assert.equal((await call('pay_test_charge', { id: made.id })).status, 'paid');
  const shown = await call('get_charge', { id: made.id });
  assert.deepEqual([shown.status, shown.paidAmountCents, shown.externalId, shown.environment], ['paid', 500, 'pedido-1', 'sandbox']);
  assert.equal((await call('expire_test_charge', { id: charge.id })).status, 'expired');
  const { charges, meta } = await call('list_charges', { status: 'paid', limit: 5 });
  assert.deepEqual([charges.map(({ id }) => id), meta.total], [[made.id], 1]);

  const channel = await service.pixledger('channel', 'add', '--project', project.projectId, '--url', 'http://127.0.0.1:9/', '--environments', 'sandbox', ...Service.mayTargetItself);
  assert.equal((await call('test_webhook', { channelId: channel.channelId })).event, 'webhook.test');
  const sent = async () => (await call('list_deliveries', { channelId: channel.channelId })).deliveries[0];
  for (const end = Date.now() + 30_000; !(await sent())?.attempts.length; ) {
    assert.ok(Date.now() < end, 'the webhook is not sent');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.deepEqual(Object.keys((await sent()).attempts[0]), ['number', 'at', 'httpStatus', 'latencyMs', 'error']);

  assert.match((await call('pay_test_charge', { id: 'cmissing00000000000000000' })).error, /404/);
  assert.equal((await call('list_request_failures')).groups[0].status, 404);
});

test('a live key neither creates nor shows live charges unless that is allowed', async (t) => {
  const { names, call, client } = await connect(t, project.liveKey);
  assert.deepEqual(await names(), ['search_docs', 'read_doc', 'list_charges', 'get_charge', 'list_deliveries', 'list_request_failures']);
  await assert.rejects(client.callTool({ name: 'create_test_charge', arguments: { amountCents: 1 } }), /no such tool/);
  assert.ok(!(await call('list_charges')).charges.some(({ id }) => id === live.id));
  assert.match((await call('list_charges', { environment: 'live' })).error, /--allow-live-reads/);
  assert.match((await call('get_charge', { id: live.id })).error, /other environment/);
  assert.match((await call('get_charge', { id: live.id, environment: 'live' })).error, /--allow-live-reads/);

  const allowed = await connect(t, project.liveKey, '--allow-live-reads');
  assert.equal((await allowed.call('get_charge', { id: live.id, environment: 'live' })).amountCents, 1990);
  assert.deepEqual((await allowed.call('list_charges', { environment: 'live' })).charges.map(({ id }) => id), [live.id]);
});

test('wrong arguments are told, and a wrong key, and an API that is away', async (t) => {
  const { call } = await connect(t, project.testKey);
  assert.match((await call('create_test_charge', { amountCents: '5' })).error, /amountCents must be an integer/);
  assert.match((await call('create_test_charge', { amountCents: 5, customer: {} })).error, /no argument customer/);
  assert.match((await call('get_charge', { id: '../store' })).error, /id must be an id/);
  assert.match((await call('read_doc', { path: '/etc/passwd' })).error, /no such page/);
  const wrong = await connect(t, 'sk_test_wrong');
  assert.match((await wrong.call('list_charges')).error, /401 ERR_AUTH/);
  const away = await connectTo(t, 'http://127.0.0.1:1', project.testKey);
  assert.match((await away.call('list_charges')).error, /cannot reach/);
});

test('a call is sent again, with its key, if a kept connection closes without an answer', async (t) => {
  const requests = [];
  const answered = new WeakSet();
  const api = createServer((request, response) => {
    requests.push([request.method, request.headers['idempotency-key']]);
    if (answered.has(request.socket)) return request.socket.destroy();
    answered.add(request.socket);
    return response.end('{"success":true,"data":{"id":"c1","status":"paid"}}');
  });
  await new Promise((resolve) => api.listen(0, '127.0.0.1', resolve));
  t.after(() => api.close());
  const { call } = await connectTo(t, `http://127.0.0.1:${api.address().port}`, project.testKey);
  for (let i = 0; i < 2; i += 1) assert.equal((await call('pay_test_charge', { id: 'c1' })).status, 'paid');
  assert.deepEqual(requests.map(([method]) => method), ['POST', 'POST', 'POST']);
  assert.equal(requests[1][1], requests[2][1]);
  assert.notEqual(requests[0][1], requests[1][1]);
});

// Lines to the program's input; resolves to its exit code and the lines of its output.
async function talk(lines, key = project.testKey) {
  const child = spawn(program, ['mcp', '--api', service.url], { env: environment(key) });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stdin.end(lines.join('\n'));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, replies: output.split('\n').filter(Boolean).map((line) => JSON.parse(line)) };
}

test('whatever comes in, only the protocol goes out, and it ends with its input', async () => {
  const initialize = (protocolVersion) => JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } } });
  const { code, replies } = await talk([
    initialize('2024-11-05'),
    initialize('2031-01-01'),
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '',
    'not JSON',
    '[]',
    '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    '{"jsonrpc":"2.0","id":2,"method":"ping"}',
    '{"jsonrpc":"2.0","id":3,"method":"resources/list"}',
    '{"jsonrpc":"2.0","id":4,"result":{}}',
    '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"rm"}}',
    `{"jsonrpc":"2.0","id":6,"method":"ping","x":"${'x'.repeat(1 << 20)}"}`,
    '{"jsonrpc":"2.0","id":7,"method":"ping"}',
  ]);
  assert.equal(code, 0);
  assert.deepEqual(replies.slice(0, 2).map(({ result }) => result.protocolVersion), ['2025-06-18', '2025-06-18']);
  assert.deepEqual(replies.slice(2).map(({ id, error }) => [id, error?.code ?? null]), [
    [null, -32700], [null, -32602], [null, -32600], [2, null], [3, -32601], [5, -32602], [null, -32600], [7, null],
  ]);
});

test('the key comes from a file or the environment, and never from an argument', async () => {
  const file = join(folder, 'key');
  const twoWords = join(folder, 'two-words');
  writeFileSync(file, `${project.testKey}\n`);
  writeFileSync(twoWords, 'two words');
  const run = promisify(execFile);
  const ended = run(program, ['mcp', '--api', service.url, '--key-file', file], { env: environment() });
  ended.child.stdin.end();
  await ended;
  for (const [options, problem] of [
    [[], /give --key-file/],
    [['--key-file', `${file}.none`], /cannot read a key/],
    [['--key-file', twoWords], /the key must be an API key/],
    [['--key', project.testKey], /--key/],
    [['--key-file', file, '--allow-live-reads'], /needs a live key/],
  ])
    await assert.rejects(run(program, ['mcp', '--api', service.url, ...options], { env: environment() }), (error) => error.code === 2 && problem.test(error.stderr));
});
