// What banks call back about: the worker's listener, and what comes of it. Polls come once an hour, so that
// what is paid here is paid by callbacks alone.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Service } from '../oracles/api/service.mjs';
import { startBank } from './bank.mjs';
import { openWorld, until } from './world.mjs';

const world = openWorld(await startBank());
const { client, ca, baseUrl, tokenUrl, callback } = world.told;
const service = new Service();
await service.start();
after(() => service.stop());

const seller = await service.pixledger('project', 'create', '--name', 'Loja', '--pix-key', 'loja@example.com');
const stranger = await service.pixledger('project', 'create', '--name', 'Outra', '--pix-key', 'outra@example.com');
const connect = async (project, alias, ...options) => {
  const { connectionId } = await service.pixledger(
    ...['connection', 'add', '--project', project.projectId, '--env', 'live', '--alias', alias],
    ...['--provider', 'api-pix', '--psp', 'generic', '--base-url', baseUrl, '--token-url', tokenUrl],
    ...['--pix-key', client.pixKey, '--client-id', client.clientId, '--client-secret-file', client.clientSecretFile],
    ...['--cert', client.certificate, '--key', client.key, '--fallback', 'none', '--code-deadline-ms', '10000'],
    ...['--callback-cn', callback.commonName, '--rate', '1000', ...options],
  );
  return connectionId;
};
const bank = await connect(seller, 'banco');
const elsewhere = await connect(stranger, 'banco');

const portFile = join(tmpdir(), `pixledger-callbacks-${process.pid}`);
after(() => rmSync(portFile, { force: true }));
const base = ['--ca-file', ca, '--polls', '1h:15m', '--callback-listen', '127.0.0.1:0'];
const withTls = [
  ...['--callback-port-file', portFile, '--callback-cert', callback.serverCertificate],
  ...['--callback-key', callback.serverKey, '--callback-client-ca', ca],
];
async function startWorker(...options) {
  rmSync(portFile, { force: true });
  service.startProviders(...base, ...options);
  return until(() => {
    try {
      return Number(readFileSync(portFile, 'utf8'));
    } catch {
      return 0; // it is not there yet
    }
  });
}
let port = await startWorker(...withTls);
// The path, known only to the bank.
const pathOf = async (project, connectionId) => {
  await service.pixledger(
    ...['connection', 'callback', 'register', '--project', project.projectId, '--connection', connectionId],
    ...['--url', `https://localhost:${port}`, '--ca-file', ca],
  );
  const { body } = await world.client.call('GET', `/webhook/${encodeURIComponent(client.pixKey)}`);
  return new URL(body.webhookUrl).pathname;
};
const elsewherePath = await pathOf(stranger, elsewhere);
const path = await pathOf(seller, bank);
const url = () => `https://localhost:${port}${path}`;

let orders = 0;
const create = async () => {
  const customer = { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' };
  const payment = { amountCents: 1990, product: `Pedido ${++orders}` };
  const body = JSON.stringify({ customer, payment, originDomain: 'loja.example', connectionId: bank });
  const headers = { Authorization: `Bearer ${seller.liveKey}`, 'Content-Type': 'application/json' };
  return until(async () => {
    const answer = await service.send({ method: 'POST', path: '/api/v1/transactions', headers, body });
    return answer.status === 201 && JSON.parse(answer.body).data;
  });
};
const detail = async (id) => {
  const headers = { Authorization: `Bearer ${seller.liveKey}` };
  const answer = await service.send({ method: 'GET', path: `/api/v1/transactions/${id}`, headers });
  return JSON.parse(answer.body).data;
};
const isPaid = (id) => until(async () => (await detail(id)).status === 'paid');
// Without the bank's own word on it.
const payQuietly = async (order) => {
  await world.set({ callbacks: false });
  const [payment] = await world.pay(order);
  await world.set({ callbacks: true });
  return payment;
};
const call = (order) => world.drive('POST', '/callbacks', { url: url(), ...order });

test('a charge is paid by the word of the bank alone', async () => {
  const { id, pixCode } = await create();
  const [{ endToEndId }] = await world.pay({ code: pixCode });
  await isPaid(id);
  assert.equal((await detail(id)).transactionCode, endToEndId);
});

test('callbacks fivefold and in disorder count once each', async () => {
  const charges = await Promise.all([create(), create(), create()]);
  const payments = [];
  for (const { pixCode } of charges) payments.push(await payQuietly({ code: pixCode }));
  const endToEndIds = payments.map((payment) => payment.endToEndId);
  const { results } = await call({ endToEndIds, times: 5, shuffle: true });
  assert.ok(results.every(({ status }) => status === 200));
  for (const { id } of charges) await isPaid(id);
  for (const { id } of charges) assert.equal((await detail(id)).unappliedPayments?.length ?? 0, 0);
});

test('what is forged, or for another project, counts for nothing', async () => {
  const { id, pixCode } = await create();
  const forged = { endToEndId: 'E12345678202603011200forged00001', txid: `p${id}`, valor: '19.90' };
  assert.equal((await call({ pix: [forged] })).results[0].status, 200);
  // Another project's connection to the same account reports a payment of this project's charge.
  const payment = await payQuietly({ code: pixCode });
  const told = await call({ url: `https://localhost:${port}${elsewherePath}`, endToEndIds: [payment.endToEndId] });
  assert.equal(told.results[0].status, 200);
  await until(async () => {
    const { requests } = await world.drive('GET', '/requests');
    const asked = (name) => requests.some((request) => request.path?.includes(`/pix/${name}`));
    return asked(forged.endToEndId) && asked(payment.endToEndId);
  });
  assert.equal((await detail(id)).status, 'waiting_payment');
  assert.equal((await call({ endToEndIds: [payment.endToEndId] })).results[0].status, 200);
  await isPaid(id);
});

test('only the bank comes in, and only what is a callback is taken', async () => {
  const pix = [{ endToEndId: 'E12345678202603011200nobody00001' }];
  for (const certificate of ['none', 'stranger'])
    assert.ok((await call({ pix, certificate })).results[0].error, certificate);
  assert.equal((await call({ pix, certificate: 'other' })).results[0].status, 403);
  assert.equal((await call({ pix, url: `${url()}0` })).results[0].status, 404);
  assert.equal((await call({ body: 'pix' })).results[0].status, 400);
  assert.equal((await call({ body: ' '.repeat(256 * 1024 + 1) })).results[0].status, 413);
  assert.equal((await call({ body: '{"evento":"teste_webhook"}' })).results[0].status, 200);
});

test('who is told no more comes in no more', async () => {
  const body = '{"evento":"teste_webhook"}';
  const post = async () => (await call({ url: `https://localhost:${port}${elsewherePath}`, body })).results[0].status;
  assert.equal(await post(), 200);
  await service.pixledger(
    ...['connection', 'callback', 'remove', '--project', stranger.projectId, '--connection', elsewhere, '--ca-file', ca],
  );
  await until(async () => (await post()) === 404);
});

test('a callback that was answered survives the death of the worker', async () => {
  const { id, pixCode } = await create();
  const payment = await payQuietly({ code: pixCode });
  // It cannot read the payment before it dies.
  await world.fault({ operation: 'pix.get', kind: 'status', status: 503, times: null });
  assert.equal((await call({ endToEndIds: [payment.endToEndId] })).results[0].status, 200);
  await service.killProviders();
  await world.drive('DELETE', '/faults');
  port = await startWorker(...withTls);
  await isPaid(id);
});

test('a proxy that ends TLS says whose certificate it was', async () => {
  const { id, pixCode } = await create();
  const payment = await payQuietly({ code: pixCode });
  await service.killProviders();
  port = await startWorker('--callback-port-file', portFile, '--callback-proxy', '127.0.0.0/8');
  const post = (headers) =>
    new Promise((resolve, reject) => {
      const request = http.request(
        { host: '127.0.0.1', port, method: 'POST', path, headers, agent: false },
        (response) => resolve(response.resume().statusCode),
      );
      request.once('error', reject);
      request.end(JSON.stringify({ pix: [{ endToEndId: payment.endToEndId }] }));
    });
  const name = { 'X-Client-Cert-CN': callback.commonName };
  assert.equal(await post({}), 403);
  assert.equal(await post({ 'X-Client-Cert-Verified': 'FAILED', ...name }), 403);
  assert.equal(await post({ 'X-Client-Cert-Verified': 'SUCCESS', 'X-Client-Cert-CN': 'other' }), 403);
  assert.equal(await post({ 'X-Client-Cert-Verified': 'SUCCESS', ...name }), 200);
  await isPaid(id);
});

test('the metrics tell of it all by connection, and of no secret', async () => {
  await create(); // this worker's own: what one that was killed had counted last is gone
  const of = (name, labels = '') => `pixledger_provider_${name}{connection="${bank}"${labels}} `;
  const expected = [
    of('callbacks_total', ',result="stored"'),
    ...['breaker_open', 'poll_age_seconds', 'clock_skew_seconds', 'certificate_end_time_seconds'].map((name) => of(name)),
    of('codes_total', ',kind="dynamic"'),
    of('requests_total', ',operation="put_cob",outcome="done"'),
    of('request_duration_seconds_bucket', ',le="+Inf"'),
  ];
  const page = await until(async () => {
    const { body } = await service.send({ method: 'GET', path: '/metrics' });
    return expected.every((sample) => body.includes(sample)) && body;
  });
  const secret = path.split('/')[2];
  assert.ok(!page.includes(secret));
});
