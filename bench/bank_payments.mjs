import { readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../tests/oracles/api/service.mjs';
import { openBank } from './bank_setup.mjs';

const payments = Number(process.env.PAYMENTS ?? 20);
const lookEveryMs = 10_000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// The merchant's: when it received that a charge is paid.
const told = new Map();
const receiver = http.createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  request.once('end', () => {
    const at = performance.now();
    response.end();
    const { event, data } = JSON.parse(text);
    if (event === 'transaction.paid') told.set(data.transactionId, at);
  });
});
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));

const world = await openBank(...Service.mayTargetItself);
const { status, body } = await world.send('POST', '/notification-channels', {
  url: `http://127.0.0.1:${receiver.address().port}/`,
});
if (status !== 201) throw new Error(`${status}: ${body}`);
world.service.startWorker();

async function isPaid(id) {
  const answer = await world.send('GET', `/transactions/${id}`);
  return JSON.parse(answer.body).data.status === 'paid';
}

// {paid, webhook}: milliseconds after the bank got the payment.
async function pay() {
  const { id, pixCode } = await world.create();
  const began = performance.now();
  await world.drive('POST', '/pay', { code: pixCode });
  while (!(await isPaid(id))) await pause(2);
  const paid = performance.now() - began;
  while (!told.has(id)) await pause(2);
  return { paid, webhook: told.get(id) - began };
}

// One after the other, each begun after a rest of its own.
async function measure(what, restMs) {
  await world.awaitWorker();
  const done = [];
  for (let i = 0; i < payments; ++i) {
    await pause(Math.random() * restMs);
    done.push(await pay());
  }
  const of = (name) => {
    const times = done.map((each) => each[name]).sort((a, b) => a - b);
    const [p50, max] = [times[Math.floor((times.length - 1) / 2)], times.at(-1)].map(Math.round);
    return `p50 ${p50} ms, max ${max} ms`;
  };
  console.log(`${what.padEnd(14)} paid ${of('paid')}; webhook ${of('webhook')} (${done.length})`);
}

world.startProviders();
await measure('by poll', lookEveryMs); // at any moment between two looks
await world.service.killProviders();

const portFile = join(tmpdir(), `pixledger-bench-callbacks-${process.pid}`);
const { ca, callback } = world.told;
world.startProviders(
  ...['--polls', '1h:15m', '--callback-listen', '127.0.0.1:0', '--callback-port-file', portFile],
  ...['--callback-cert', callback.serverCertificate, '--callback-key', callback.serverKey, '--callback-client-ca', ca],
);
let port = 0;
while (!port) {
  await pause(20);
  try {
    port = Number(readFileSync(portFile, 'utf8'));
  } catch {
    // It is not there yet.
  }
}
rmSync(portFile);
await world.service.pixledger(
  ...['connection', 'callback', 'register', '--project', world.project.projectId, '--connection', world.connectionId],
  ...['--url', `https://localhost:${port}`, '--ca-file', ca],
);
await measure('by callback', 100);
await world.close();
receiver.close();
process.exit(0);
