// See open_pages.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, open } from '../tests/web/browser/browser.mjs';
import { eventually, send } from '../tests/web/site.mjs';

const number = (name, otherwise) => Number(process.env[name] ?? otherwise);
const [streamsAll, payments, rounds, churns] = [
  number('STREAMS', 10_000), number('PAYMENTS', 100), number('ROUNDS', 3), number('CHURNS', 10),
];
const secondsEach = number('SECONDS_EACH', 10);
const rates = { status: number('STATUS_RATE', 500), create: number('CREATE_RATE', 300) };
const streamsOfToken = 8, streamsOfAddress = 500, atOnce = 64;
const bin = process.env.PIXLEDGER_BIN_DIR;
const folder = mkdtempSync(join(tmpdir(), 'pixledger-open-pages-'));
const data = ['--data', join(folder, 'data')];
const webKey = join(folder, 'web-key');
const atEnd = [];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function start(program, portFile, ...options) {
  const child = spawn(join(bin, program), [...options, '--port-file', portFile], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('close', resolve));
  atEnd.push(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  await eventually(() => {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
    return existsSync(portFile);
  }, 30_000);
  return { pid: child.pid, port: Number(readFileSync(portFile, 'utf8')) };
}

// MiB, with and without pages of files that are mapped.
function memory({ pid }) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)[1]) / 1024;
  return { all: of('VmRSS'), own: of('RssAnon') };
}

async function eachOf(list, work) {
  let next = 0;
  await Promise.all(Array.from({ length: atOnce }, async () => {
    while (next < list.length) await work(list[next++]);
  }));
}

// The page's address is fixed before it runs, since the server has to know it.
async function freePort() {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const { testKey } = JSON.parse(execFileSync(join(bin, 'pixledger'), ['project', 'create', ...data, '--name', 'Bench', '--pix-key',
  'loja@example.com', '--merchant-city', 'RECIFE', '--json'], { encoding: 'utf8' }));
const payUrl = `http://127.0.0.1:${await freePort()}`;
const server = await start('pixledger-server', join(folder, 'port'), ...data, '--listen', '127.0.0.1:0', '--pay-url', payUrl,
  '--web-key-file', webKey, '--max-connections-per-address', '0');
const api = `http://127.0.0.1:${server.port}`;
const web = await start('pixledger-web', join(folder, 'web-port'), '--pay-listen', new URL(payUrl).host, '--pay-url', payUrl,
  '--api', api, '--web-key-file', webKey);
await eventually(async () => (await send(`${payUrl}/readyz`)).status === 200);

async function post(path, body) {
  const answer = await send(`${api}/api${path}`, { method: 'POST', body: JSON.stringify(body ?? {}),
    headers: { Authorization: `Bearer ${testKey}`, 'Content-Type': 'application/json' } });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text).data;
}
const customer = { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' };
const makeSession = () => post('/v1/checkout/sessions',
  { payment: { amountCents: 1990, product: 'Camiseta' }, originDomain: 'loja.example.com', customer });

async function streamsNow() {
  const { text } = await send(`${payUrl}/metrics`);
  return Number(/^pixledger_web_streams (\d+)/m.exec(text)[1]);
}

const sockets = new Set();
// Resolves once it has been told the session's state.
function follow(url, i) {
  const address = Math.floor(i / streamsOfAddress);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: web.port, localAddress: `127.2.0.${address + 1}` });
    let text = '';
    socket.on('data', (part) => {
      if (text === null) return;
      text += part;
      if (!text.includes('event: state')) return;
      text = null;
      resolve();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`a stream was ended: ${text}`)));
    socket.write(`GET ${new URL(url).pathname}/live HTTP/1.1\r\nHost: pages\r\nAccept: text/event-stream\r\n\r\n`);
    sockets.add(socket);
  });
}
const sessions = [];
async function openAll() {
  await eachOf(Array.from({ length: streamsAll }, (_, i) => i), (i) => follow(sessions[Math.floor(i / streamsOfToken)].url, i));
}
function closeSockets() {
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
  sockets.clear();
}
async function closeAll() {
  closeSockets();
  await eventually(async () => (await streamsNow()) === 0, 60_000);
}

const at = (times, share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
const browser = await launch({ after: (end) => atEnd.unshift(end) });
// Milliseconds from the answer to the sandbox's payment until the page has drawn what it says.
async function paidIsSeen() {
  const times = [];
  for (let i = 0; i < payments; ++i) {
    const session = await makeSession();
    const page = await open(browser, session.url);
    const seen = page.evaluate(() => new Promise((resolve) => {
      const look = () => document.querySelector('main[data-state="paid"]') && requestAnimationFrame(() => resolve(Date.now()));
      new MutationObserver(look).observe(document.body, { childList: true });
    }));
    await pause(100);
    await post(`/sandbox/transactions/${session.transactionId}/pay`);
    const answered = Date.now();
    times.push((await seen) - answered);
    await page.context().close();
  }
  times.sort((a, b) => a - b);
  return { p50: at(times, 0.5), p99: at(times, 0.99) };
}
function latency(what) {
  const more = what === 'status' ? ['--ids', join(folder, 'ids')] : [];
  return JSON.parse(execFileSync(join(bin, 'bench_open_loop'), ['--port', String(server.port), '--key', testKey, '--rate',
    String(rates[what]), '--seconds', String(secondsEach), ...more], { encoding: 'utf8' }));
}
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const show = (what, value) => console.log(`${what}=${typeof value === 'number' ? value.toFixed(2) : JSON.stringify(value)}`);

try {
  const wanted = Math.ceil(streamsAll / streamsOfToken);
  await eachOf(Array.from({ length: wanted }), async () => sessions.push(await makeSession()));
  writeFileSync(join(folder, 'ids'), `${sessions.map(({ transactionId }) => transactionId).join('\n')}\n`);
  // Each page was seen, and the API was at work, before anything counts.
  await eachOf(sessions, ({ url }) => send(url));
  for (const what of Object.keys(rates)) latency(what);

  const [webBefore, serverBefore] = [memory(web), memory(server)];
  const began = Date.now();
  await openAll();
  show('opened_in_s', (Date.now() - began) / 1000);
  const [webOpen, serverOpen] = [memory(web), memory(server)];
  show('web_more_mib', webOpen.all - webBefore.all);
  show('server_more_mib', serverOpen.all - serverBefore.all);
  show('server_own_more_mib', serverOpen.own - serverBefore.own);
  for (let i = 0; i < churns; ++i) {
    await closeAll();
    await openAll();
  }
  show('web_after_churns', memory(web).all / webOpen.all);
  show('web_mib', { idle: webBefore.all, open: webOpen.all, churned: memory(web).all });
  show('server_mib', { idle: serverBefore, open: serverOpen, churned: memory(server) });
  show('streams', await streamsNow());
  show('paid_seen_ms_beside', await paidIsSeen());

  const p99 = { with: {}, without: {} };
  for (let round = 0; round < rounds; ++round) {
    for (const beside of round % 2 ? ['without', 'with'] : ['with', 'without']) {
      if (beside === 'without') await closeAll();
      else if (sockets.size === 0) await openAll();
      for (const what of Object.keys(rates)) (p99[beside][what] ??= []).push(latency(what).p99);
    }
  }
  for (const what of Object.keys(rates)) {
    show(`${what}_p99_ms`, { with: p99.with[what], without: p99.without[what] });
    show(`${what}_p99_ratio`, median(p99.with[what].map((each, round) => each / p99.without[what][round])));
  }
  show('paid_seen_ms_alone', await paidIsSeen());
} finally {
  closeSockets();
  for (const end of atEnd) await end();
  rmSync(folder, { recursive: true });
}
