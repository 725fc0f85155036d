// A ledger that is brought back from a backup has forgotten what the bank has not.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Service } from '../oracles/api/service.mjs';
import { startBank } from './bank.mjs';
import { openWorld, until } from './world.mjs';

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
  ...['--cert', client.certificate, '--key', client.key, '--fallback', 'none', '--code-deadline-ms', '10000'],
);
const workerOptions = ['--ca-file', ca, '--polls', '1s:15m'];
service.startProviders(...workerOptions);

const headers = { Authorization: `Bearer ${project.liveKey}`, 'Content-Type': 'application/json' };
const send = async (method, path, body) => {
  const text = body && JSON.stringify(body);
  const answer = await service.send({ method, path: `/api/v1/transactions${path}`, headers, body: text });
  return { status: answer.status, ...JSON.parse(answer.body) };
};
const customer = { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' };
const order = { customer, payment: { amountCents: 1990, product: 'Pedido' }, originDomain: 'loja.example', connectionId };
// Its id, once the ledger knows that it was paid.
const paid = async () => {
  const { id, pixCode } = await until(async () => (await send('POST', '', order)).data);
  const [{ endToEndId }] = await world.pay({ code: pixCode });
  await until(async () => (await send('GET', `/${id}`)).data.status === 'paid');
  return { id, endToEndId };
};

test('forgotten refunds come back as the bank’s own, and payments of forgotten charges as unmatched', async () => {
  const { id: known } = await paid();
  const bringBack = await service.backUp();
  const asked = await send('POST', `/${known}/refund`, { amountCents: 990 });
  const refund = asked.data.refunds[0].id;
  await until(async () => (await send('GET', `/${known}`)).data.refundedAmountCents === 990);
  const forgotten = await paid();

  await bringBack();
  assert.equal((await send('GET', `/${known}`)).data.refundedAmountCents, 0);
  service.providersLog = '';
  service.startProviders(...workerOptions);
  const back = await until(async () => {
    const { data } = await send('GET', `/${known}`);
    return data.refundedAmountCents === 990 && data;
  });
  assert.deepEqual(
    back.refunds.map(({ id, origin, status, amountCents }) => ({ id, origin, status, amountCents })),
    [{ id: refund, origin: 'bank', status: 'done', amountCents: 990 }],
  );
  assert.equal((await send('GET', `/${forgotten.id}`)).status, 404);
  const isListed = async () => {
    const items = await service.pixledger('payment', 'list', '--project', project.projectId);
    return items.some(({ endToEndId, state }) => endToEndId === forgotten.endToEndId && state === 'open');
  };
  await until(isListed);
  const told = service.providersLog.match(/what is open at the banks is read anew/g) ?? [];
  assert.equal(told.length, 1);
  // What is new goes its way.
  assert.ok(await paid());
});
