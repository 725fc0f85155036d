// More payments in one window than banks list at once: none is left out.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Service } from '../oracles/api/service.mjs';
import { startBank } from './bank.mjs';
import { openWorld, until } from './world.mjs';

const minuteMs = 60_000;
const world = openWorld(await startBank({ document: null }));
const { client, ca, baseUrl, tokenUrl } = world.told;
const service = new Service();
await service.start();
after(() => service.stop());
const project = await service.pixledger('project', 'create', '--name', 'Loja', '--pix-key', 'loja@example.com');
const { connectionId } = await service.pixledger(
  ...['connection', 'add', '--project', project.projectId, '--env', 'live', '--alias', 'banco'],
  ...['--provider', 'api-pix', '--psp', 'generic', '--base-url', baseUrl, '--token-url', tokenUrl],
  ...['--pix-key', client.pixKey, '--client-id', client.clientId, '--client-secret-file', client.clientSecretFile],
  ...['--cert', client.certificate, '--key', client.key, '--rate', '1000', '--code', 'static'],
);

const headers = { Authorization: `Bearer ${project.liveKey}`, 'Content-Type': 'application/json' };
const customer = { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' };
const order = { customer, payment: { amountCents: 1990, product: 'Pedido' }, originDomain: 'loja.example', connectionId };
const send = async (method, path, body) => {
  const text = body && JSON.stringify(body);
  const answer = await service.send({ method, path: `/api/v1/transactions${path}`, headers, body: text });
  return JSON.parse(answer.body).data;
};

test('what comes after ten thousand other payments in a window is found', async () => {
  const { id, pixCode } = await send('POST', '', order);
  const at = (agoMs) => new Date(Date.now() - agoMs).toISOString();
  await world.drive('POST', '/pay-many', { count: 10_000, from: at(14 * minuteMs), to: at(minuteMs) });
  await world.pay({ code: pixCode });
  service.startProviders('--ca-file', ca, '--polls', '1h:15m');
  // As long as it takes to look at them all.
  const isPaid = async () => (await send('GET', `/${id}`)).status === 'paid';
  for (let tries = 0; tries < 30 && !(await isPaid()); tries++) await until(isPaid).catch(() => false);
  assert.ok(await isPaid());
  const { requests } = await world.drive('GET', '/requests');
  assert.ok(requests.filter(({ operation }) => operation === 'pix.list').length > 100, 'all pages were asked for');
});
