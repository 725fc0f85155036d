// See day.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bench, bin, eventually, machine, memoryOf, metric, metricsOf, pause, percentileOf, processorSecondsOf, Programs, say,
  setting, writeResult,
} from './programs.mjs';

const wanted = Number(setting('RATE', 3200)), seconds = Number(setting('SECONDS_EACH', 600));
const warmup = 2, payAfter = 1; // as bench_open_loop has it
const sampleMs = 500;
const pages = 500; // of a hundred charges, spread over all of them, whose status is checked
const programs = new Programs();
const file = (name) => programs.file(name);

// {data, key}
async function filledLedger() {
  const data = setting('DATA', file('data')), keyFile = join(data, 'bench-key');
  if (!existsSync(keyFile)) {
    say('filling the ledger');
    const key = await programs.run('fill', join(bin, 'bench_fill_ledger'), [data, setting('CHARGES', '10000000')]);
    writeFileSync(keyFile, key);
  }
  return { data, key: readFileSync(keyFile, 'utf8').trim() };
}

// A merchant over TLS, who records how long after its payment each webhook came.
async function startReceiver() {
  await programs.run('openssl', 'openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', file('tls.key'), '-out', file('tls.pem')],
  ]);
  const receiver = programs.start('receiver', process.execPath,
    [join(bench, 'webhook_load/receiver.mjs'), file('tls.pem'), file('tls.key'), '1', file('ports'), file('delays')]);
  return { receiver, url: `https://127.0.0.1:${await programs.contentOf(receiver, file('ports'))}/` };
}

// The ledger's only channel, in place of those of earlier runs.
async function setChannel(api, url) {
  const { data } = await api('GET', '/notification-channels?limit=100');
  for (const { id } of data) await api('DELETE', `/notification-channels/${id}`);
  await api('POST', '/notification-channels', { url, events: ['transaction.paid'] });
}

// How far the read models and the webhook worker are behind the ledger at this moment.
async function progress(server) {
  const page = await metricsOf(server);
  const of = (name, labels) => metric(page, `pixledger_${name}`, labels);
  const worker = 'worker="webhooks"', delivered = of('webhook_attempts_total', 'outcome="delivered"');
  return {
    paid: of('charges_total', 'event="paid"'),
    delivered,
    undelivered: of('webhook_attempts_total') - delivered,
    working: of('worker_running', worker) === 1,
    lag: {
      views_events: of('projection_lag_events'),
      webhooks_unread_events: of('worker_lag_events', worker),
      webhooks_unread_seconds: of('worker_oldest_unread_age_seconds', worker),
      webhooks_pending: of('deliveries_pending'),
      webhooks_overdue_seconds: of('deliveries_overdue_seconds'),
    },
  };
}
const unsent = ({ lag }) => lag.webhooks_unread_events + lag.webhooks_pending;
async function caughtUp(server) {
  let now;
  await eventually('all webhooks sent', async () => {
    now = await progress(server);
    return now.working && unsent(now) === 0 && now.lag.views_events === 0;
  }, 900);
  return now;
}

async function load(server, key, rate, duration) {
  const options = [
    ...['--port', server.port, '--key', key, '--ids', file('ids'), '--mix', 'create,pay,status'],
    ...['--rate', rate, '--seconds', duration, '--warmup', warmup],
  ];
  return JSON.parse(await programs.run('load', join(bin, 'bench_open_loop'), options, { good: [0, 1] }));
}

// The highest rate that is borne: no request fails, and neither requests nor webhooks pile up.
async function findRate(server, key) {
  const trials = [];
  for (let rate = wanted; ;) {
    const kinds = await load(server, key, rate, Number(setting('TRIAL', 20)));
    const reached = Math.min(...Object.values(kinds).map((kind) => kind.reached));
    const isBorne = unsent(await progress(server)) < 2 * rate && reached > 0.98 * rate &&
      Object.values(kinds).every(({ failed }) => failed === 0);
    trials.push({ rate, isBorne, kinds });
    say(`${rate} a second of each are ${isBorne ? '' : 'not '}borne`);
    await caughtUp(server);
    if (isBorne || rate < 10) return { rate, trials };
    rate = Math.max(1, Math.floor(Math.min(reached, 0.8 * rate)));
  }
}

async function measure(measured, key, rate) {
  const each = (of) => Object.fromEntries(Object.keys(measured).map((name) => [name, of(measured[name], name)]));
  const { server } = measured;
  const before = await progress(server), busyBefore = each(processorSecondsOf), begin = performance.now();
  const memory = { start: each(memoryOf) }, worst = {};
  let isOver = false;
  const loading = load(server, key, rate, seconds).finally(() => { isOver = true; });
  while (!isOver) {
    const { lag } = await progress(server);
    for (const [name, value] of Object.entries(lag)) worst[name] = Math.max(worst[name] ?? 0, value);
    if (!memory.middle && performance.now() > begin + seconds * 500) memory.middle = each(memoryOf);
    await pause(sampleMs);
  }
  const kinds = await loading, took = (performance.now() - begin) / 1000, atEnd = await progress(server);
  memory.end = each(memoryOf);
  const used = each((program, name) => Number(((processorSecondsOf(program) - busyBefore[name]) / took).toFixed(2)));
  const after = await caughtUp(server);

  for (const name of ['worker', 'receiver']) await measured[name].end();
  const ofAll = readFileSync(file('delays'), 'utf8').split('\n').filter(Boolean).map(Number);
  const delays = ofAll.slice(before.paid).sort((a, b) => a - b); // without those of the trials
  const due = after.paid - before.paid, answered = delays.length, at = (share) => percentileOf(delays, share);
  kinds.webhook = {
    ...{ rate, due, answered, failed: Math.abs(due - answered) + after.undelivered - before.undelivered },
    reached: Number(((atEnd.delivered - before.delivered) / (seconds + warmup - payAfter)).toFixed(1)),
    ...{ p50: at(0.5), p99: at(0.99), p999: at(0.999), max: delays.at(-1) },
  };
  return { kinds, worst_lag: worst, memory_mib: memory, processors_used: used };
}

function print(result) {
  console.log(`${result.date}, ${result.machine}`);
  console.log(`a ledger of ${result.events} events, ready after ${result.start_seconds} s`);
  console.log(`${result.rate} a second of each (wanted: ${wanted}) for ${seconds} s, ${result.errors} errors`);
  const row = (name, columns) =>
    console.log(name.padEnd(10) + columns.map((value) => String(value).padStart(11)).join(''));
  row('', ['reached/s', 'p50 ms', 'p99 ms', 'p99.9 ms', 'max ms', 'failed']);
  for (const [name, { reached, p50, p99, p999, max, failed }] of Object.entries(result.kinds))
    row(name, [reached, ...[p50, p99, p999, max].map((ms) => ms?.toFixed(2) ?? '-'), failed]);
  for (const [name, value] of Object.entries(result.worst_lag))
    console.log(`worst lag, ${name.replaceAll('_', ' ')}: ${value}`);
  const { start, middle, end } = result.memory_mib;
  for (const [name, used] of Object.entries(result.processors_used)) {
    const span = (of) => [start, middle, end].map((each) => each[name][of]).join(', ');
    console.log(`${name}: MiB at start, middle and end ${span('own')}; ` +
      `with mapped files ${span('all')}; ${used} processors`);
  }
}

try {
  const { data, key } = await filledLedger();
  const { receiver, url } = await startReceiver();
  const local = ['--allow-target', '127.0.0.0/8'];
  say('starting the server');
  const began = performance.now();
  const server = await programs.startServer(data, local);
  const start = Number(((performance.now() - began) / 1000).toFixed(1));
  const api = async (method, path, body) => {
    const response = await fetch(`${server.url}/api/v1${path}`, { method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  await setChannel(api, url);
  const resume = existsSync(join(data, 'workers/webhooks/deliveries.sqlite')) ? [] : ['--resume-from', 'head'];
  const worker = programs.start('worker', join(bin, 'pixledger-webhooks'),
    ['--data', data, '--ca-file', file('tls.pem'), ...local, ...resume]);
  await programs.run('ids', process.execPath,
    [join(bench, 'load/collect-ids.mjs'), server.url, key, file('ids'), file('customers'), pages]);
  await caughtUp(server);
  const events = metric(await metricsOf(server), 'pixledger_ledger_events');

  const { rate, trials } = await findRate(server, key);
  const figures = await measure({ server, worker, receiver }, key, rate);
  const errors = Object.values(figures.kinds).reduce((sum, { failed }) => sum + failed, 0);
  const result = { ...machine(), events, start_seconds: start, wanted, rate, seconds, errors, ...figures, trials };
  writeResult(result);
  print(result);
  process.exitCode = errors === 0 ? 0 : 1;
} finally {
  await programs.close();
}
