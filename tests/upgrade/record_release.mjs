// Usage: PIXLEDGER_BIN_DIR=build/release/bin node tests/upgrade/record_release.mjs VERSION
// Drives everything there is through a new data directory with today's programs, and keeps it, with what they showed
// of it, as release-VERSION.tar.xz and release-VERSION.json. For when a release is made; what is kept never changes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Installation } from './installation.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const [version] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) throw new Error('say which version, such as 0.1.0');

const folder = mkdtempSync(join(tmpdir(), 'pixledger-release-'));
const site = new Installation(join(folder, 'data'));
const target = ['--allow-http', '--allow-target', '127.0.0.0/8'];

const project = await site.json('project', 'create', '--name', 'Minha Loja', '--pix-key', 'loja@example.com',
  '--merchant-city', 'RECIFE', '--fee-fixed-cents', '50', '--fee-basis-points', '99');
const { projectId, liveKey, testKey } = project;
await site.json('connection', 'add', '--project', projectId, '--env', 'test', '--alias', 'reserva', '--provider-id', 'acme');
await site.startReceiver();
await site.start();
const client = site.client(testKey);
const live = site.client(liveKey);

const channel = await client.channels.create({ url: `${site.receiverUrl}/hooks`, name: 'loja' });
const old = await site.json('channel', 'add', '--project', projectId, '--url', `${site.receiverUrl}/old`, '--api-version', 'v1', ...target);
const leaving = await client.channels.create({ url: `${site.receiverUrl}/leaving` });
const refusing = await client.channels.create({ url: `${site.receiverUrl}/refusing` });

const documents = ['52998224725', '11144477735', '11222333000181'];
const order = (i) => ({
  customer: {
    name: ['Ana Lima', 'João Conceição', 'Padaria São Jorge Ltda'][i % 3],
    document: documents[i % 3],
    email: `cliente${i % 3}@example.com`,
    phone: '11987654321',
    ...(i % 3 === 0 ? { address: { street: 'Rua da Aurora', streetNumber: '100', city: 'Recife', state: 'PE', zipCode: '50050-000' } } : {}),
  },
  payment: { amountCents: 1000 + i, product: `Camiseta ${i}`, ...(i % 2 ? { quantity: 2 } : {}) },
  originDomain: i % 2 ? 'loja.example.com' : 'outra.example.com',
  ...(i % 4 ? {} : { externalId: `pedido-${i}`, customerIp: '203.0.113.7' }),
});
const ids = [];
const create = async (from = client, options = undefined) => {
  const { id } = await from.transactions.create(order(ids.length), options);
  ids.push(id);
  return id;
};
const pay = async (id) => (await client.sandbox.pay(id), id);

// None is left waiting: time would change what is shown of it.
await site.json('charge', 'processing', '--id', await create());
await pay(await create(client, { idempotencyKey: 'pedido' }));
await client.sandbox.expire(await create());
await client.sandbox.fail(await create());
await client.transactions.cancel(await create());
const partly = await pay(await create());
await client.transactions.refund(partly, { amountCents: 300, reason: 'troca' });
await client.transactions.refund(await pay(await create()));

// Money from outside, in time, late, doubled and in another amount.
const endToEnd = (n) => `E12345678202603011200${String(n).padStart(11, '0')}`;
const confirm = (id, n, cents) =>
  site
    .json('charge', 'confirm', '--id', id, '--end-to-end-id', endToEnd(n), '--amount-cents', String(cents))
    .catch((error) => {
      if (error.code !== 1) throw error; // flagged
    });
const money = await create(live);
await confirm(money, 1, order(ids.length - 1).payment.amountCents);
await confirm(money, 2, 5);
await site.json('charge', 'return-payment', '--end-to-end-id', endToEnd(2), '--reason', 'em dobro');
const closed = await create(live);
await live.transactions.cancel(closed);
await confirm(closed, 3, 7);
const wrong = await create(live);
await site.json('charge', 'processing', '--id', wrong);
await confirm(wrong, 4, 8);
await site.json('charge', 'accept-payment', '--end-to-end-id', endToEnd(4));
await site.json('charge', 'fail', '--id', await create(live), '--reason', 'sem saldo');

const customers = (await client.customers.list()).data.map(({ id }) => id);
await client.customers.block(customers[0], { blockType: 'fraud', reason: 'chargeback' });
await assert.rejects(client.transactions.create(order(customers.length - 1)));
await client.customers.unblock(customers[0]);
await client.blocklist.add({ type: 'email', value: 'fraude@example.com', reason: 'x' });
const gone = await client.blocklist.add({ type: 'cidr', value: '198.51.100.0/24' });
await client.blocklist.remove(gone.id);
await client.store.update({ pixExpirationMinutes: 45 });

const issued = await site.json('key', 'issue', '--project', projectId, '--env', 'test', '--sandbox-only');
await site.json('key', 'roll', '--key-id', issued.keyId, '--overlap-seconds', '1');
const revoked = await site.json('key', 'issue', '--project', projectId, '--env', 'live', '--scopes', 'transactions:read');
await site.json('key', 'revoke', '--key-id', revoked.keyId);

await client.channels.rotateSecret(channel.id, { graceSeconds: 60 });
await client.channels.update(leaving.id, { isActive: false, name: 'sai' });
await client.channels.delete(leaving.id);
await client.channels.test(channel.id);
const last = ids[1];
await site.arrived(({ path, headers, rawBody }) =>
  path === '/hooks' && headers['x-webhook-event'] === 'transaction.paid' && rawBody.includes(last));
const { data: delivered } = await client.channels.deliveries(channel.id, { status: 'delivered' });
await client.deliveries.redeliver(delivered[0].id);
await client.channels.recover(channel.id, { since: new Date(Date.now() - 3600_000) });
await site.arrived(({ path, headers }) => path === '/hooks' && headers['x-webhook-event'] === 'transaction.failed', 2);

const recorded = {
  project,
  channels: { v2: channel.id, v1: old.channelId, refusing: refusing.id },
  charges: ids,
  shown: await site.shown(liveKey, ids),
};
for (const path of ['/api/transactions', '/api/v1/transactions?limit=100', '/api/v1/transactions?search=conceicao',
  '/api/v1/customers', '/api/v1/blocklist', '/api/v1/store', '/api/v1/events?limit=1000',
  ...customers.map((id) => `/api/v1/customers/${id}`)])
  recorded.shown[path] = await site.get(liveKey, path);
recorded.receipt = await client.transactions.receipt(last);
assert.equal(await site.stop(), 0);
site.stopReceiver();
recorded.sent = site.webhooks.length;
recorded.publicKey = await site.pixledger('checkpoint', '--public-key');
recorded.checkpoint = await site.pixledger('checkpoint');
recorded.report = await site.json('report');

execFileSync('tar', ['--create', '--xz', '--file', join(here, `release-${version}.tar.xz`), '--owner=0', '--group=0',
  '--sort=name', '--exclude=lock.mdb', '--exclude=wake', '--exclude=*.lock', '-C', folder, 'data']);
writeFileSync(join(here, `release-${version}.json`), `${JSON.stringify(recorded, null, 1)}\n`);
rmSync(folder, { recursive: true });
