// The way of a trace: from a request by the ledger to webhooks and mails, and its spans to a collector.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { World, order } from '../sdk/world.mjs';
import { Collector, checkExport } from './collector.mjs';

const traceId = 'af7651916cd43dd8448eb211c80319c0';
const callerSpan = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${callerSpan}-01`;
const allowed = new Set(
  ['http.request.method', 'http.route', 'http.response.status_code', 'error.type'].concat(
    ['environment', 'project', 'transaction', 'event', 'position', 'channel', 'connection', 'attempt', 'outcome'].map(
      (name) => `pixledger.${name}`,
    ),
  ),
);
const headersFile = join(tmpdir(), `pixledger-otlp-${process.pid}`);

let collector;
let world;
let charge;
const post = (of, path, body, headers = {}) =>
  fetch(`${of.baseUrl}${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${of.project.testKey}`,
      ...(body && { 'Content-Type': 'application/json' }),
      'Idempotency-Key': randomBytes(8).toString('hex'),
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
const create = async (of, headers) => {
  const reply = await post(of, '/api/v1/transactions', order, headers);
  assert.equal(reply.status, 201);
  return (await reply.json()).data.id;
};
const metric = async (of, outcome) => {
  const page = await (await fetch(`${of.baseUrl}/metrics`)).text();
  return Number(new RegExp(`^pixledger_otlp_spans_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(page)[1]);
};
const addChannel = (of, path) =>
  of.pixledger(
    ...['channel', 'add', '--project', of.project.projectId, '--url', `${of.receiverUrl}/${path}`],
    ...['--api-version', 'v2', '--allow-target', '127.0.0.0/8'],
  );

before(async () => {
  collector = await new Collector().start();
  writeFileSync(headersFile, 'Authorization: Basic dTpw\n', { mode: 0o600 });
  Object.assign(process.env, {
    PIXLEDGER_OTLP_ENDPOINT: collector.url,
    PIXLEDGER_OTLP_SAMPLE: '0',
    PIXLEDGER_OTLP_HEADERS_FILE: headersFile,
  });
  world = await World.open();
  await world.startReceiver();
  await world.start('pixledger-emails', ['--resume-from', 'beginning'], 'stderr', /at work/);
  await addChannel(world, 'hooks');
  charge = await create(world, { traceparent, tracestate: 'vendor=state' });
});
after(async () => {
  await world.close();
  collector.stop();
});

test('a webhook continues the trace of the request that caused it', async () => {
  const [{ headers }] = await world.arrived('/hooks', 1);
  const [version, trace, parent, flags] = headers.traceparent.split('-');
  assert.deepEqual([version, trace, flags], ['00', traceId, '01']);
  assert.equal(headers.tracestate, 'vendor=state');
  const span = await collector.arrived(({ name }) => name === 'webhook transaction.created');
  assert.equal(span.spanId, parent);
});

test('the spans of a request, its decision, its commit and its webhook are one tree', async () => {
  const [request, decide, commit, webhook] = await Promise.all(
    ['POST /api/v1/transactions', 'decide', 'commit', 'webhook transaction.created'].map((wanted) =>
      collector.arrived(({ name, traceId: of }) => name === wanted && of === traceId),
    ),
  );
  assert.equal(request.parentSpanId, callerSpan);
  for (const child of [decide, commit, webhook]) assert.equal(child.parentSpanId, request.spanId);
  assert.deepEqual([request, decide, commit, webhook].map(({ kind }) => kind), [2, 1, 1, 3]);
  assert.deepEqual([request.service, webhook.service], ['pixledger-server', 'pixledger-webhooks']);
  assert.equal(request.attributes['http.response.status_code'], '201');
  assert.equal(request.attributes['pixledger.project'], world.project.projectId);
  assert.equal(commit.attributes['pixledger.transaction'], charge);
  assert.equal(webhook.attributes['pixledger.outcome'], 'delivered');
  assert.equal(webhook.attributes['pixledger.position'], commit.attributes['pixledger.position']);
  assert.equal(collector.posts[0].headers.authorization, 'Basic dTpw');
});

test('a mail continues the trace in X-Traceparent', async () => {
  const reply = await post(world, `/api/sandbox/transactions/${charge}/pay`, undefined, { traceparent });
  assert.equal(reply.status, 200);
  const span = await collector.arrived(({ name }) => name === 'mail');
  const outbox = join(world.folder, 'data', 'outbox');
  const [file] = readdirSync(outbox).filter((name) => name.endsWith('.eml'));
  const mail = readFileSync(join(outbox, file), 'latin1');
  assert.ok(mail.startsWith(`X-Traceparent: 00-${traceId}-${span.spanId}-01\r\n`));
});

test('spans have no other attributes than those of the list', () => {
  for (const span of collector.spans) for (const key of Object.keys(span.attributes)) assert.ok(allowed.has(key), key);
  assert.ok(!JSON.stringify(collector.spans).includes('Ana'));
});

test('an unsampled trace is passed on and not exported; an invalid one is ignored', async () => {
  const other = randomBytes(16).toString('hex');
  await addChannel(world, 'others');
  await create(world, { traceparent: `00-${other}-${callerSpan}-00` });
  await create(world, { traceparent: `00-${other}-${callerSpan}`, tracestate: 'a=?utf-8?q?b?=' });
  await create(world);
  const hooks = (await world.arrived('/others', 3)).map(({ headers }) => headers.traceparent);
  assert.equal(hooks.filter((header) => header === undefined).length, 2);
  assert.match(hooks.find((header) => header), new RegExp(`^00-${other}-(?!${callerSpan})[0-9a-f]{16}-00$`));
  assert.ok(!collector.spans.some((span) => span.traceId === other));
});

test('what was sent is counted', async () => {
  assert.ok((await metric(world, 'sent')) >= 3);
  assert.equal(await metric(world, 'dropped'), 0);
  assert.deepEqual(collector.faults, []);
});

test('a dead collector delays no request, and what it does not take is counted', async () => {
  const dead = await new Collector().start();
  dead.stop();
  Object.assign(process.env, { PIXLEDGER_OTLP_ENDPOINT: dead.url, PIXLEDGER_OTLP_SAMPLE: '1' });
  const lonely = await World.open();
  try {
    const began = Date.now();
    for (let i = 0; i < 20; ++i) await create(lonely, { traceparent });
    assert.ok(Date.now() - began < 10_000);
    while ((await metric(lonely, 'dropped')) === 0) await new Promise(setImmediate);
    assert.equal(await metric(lonely, 'sent'), 0);
  } finally {
    await lonely.close();
  }
});

test('the check of the schema refuses what is not OTLP', () => {
  const span = { traceId, spanId: callerSpan, name: 'a', kind: 1, startTimeUnixNano: '1790000000000000000', endTimeUnixNano: '1790000000000000001' };
  const body = (change) => ({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans: [{ ...span, ...change }] }] }] });
  checkExport(body({}));
  for (const change of [
    { traceId: Buffer.from(traceId, 'hex').toString('base64') },
    { spanId: '0000000000000000' },
    { kind: 'SPAN_KIND_SERVER' },
    { startTimeUnixNano: 1790000000000000000 },
    { endTimeUnixNano: '1789999999999999999' },
    { attributes: [{ key: 'a', value: { intValue: 1 } }] },
    { attributes: [{ key: 'a', value: {} }] },
    { unknown: 1 },
  ])
    assert.throws(() => checkExport(body(change)), JSON.stringify(change));
});
