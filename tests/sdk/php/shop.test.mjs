// The examples for shops: each order is delivered once, whether its webhook comes, the cron line runs, or both.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { World } from '../world.mjs';
import { runFile, sdk } from './php.mjs';

const target = ['--allow-http', '--allow-target', '127.0.0.0/8'];
let world;
before(async () => {
  world = await World.open();
});
after(() => world.close());

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// A shop that PHP's own web server shows: {url, env, log, stop}.
async function openShop(name, parametersFor, more = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const channel = ['channel', 'add', '--project', world.project.projectId, '--url', `${url}${name}`, ...target];
  const { secret } = await world.pixledger(...channel);
  const env = {
    ...process.env,
    PIXLEDGER_URL: world.baseUrl,
    PIXLEDGER_KEY: world.project.testKey,
    PIXLEDGER_WEBHOOK_SECRET: secret,
    SHOP_DATABASE: join(world.folder, `shop-${port}.db`),
    SHOP_IS_A_TRIAL: 'yes',
    ...more,
  };
  const child = spawn('php', ['-S', `127.0.0.1:${port}`, ...parametersFor], { env });
  process.once('exit', () => child.kill());
  const shop = { url, env, log: '', stop: () => child.kill() };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part) => {
      shop.log += part;
    });
  await until(() => shop.log.includes('started'));
  return shop;
}

async function until(condition) {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `never: ${condition}`);
    await setTimeout(20);
  }
}

const folder = join(sdk, 'example/shop');
const open = (more) => openShop('webhook.php', ['-t', folder], more);
const buy = async (shop) => (await fetch(shop.url, { method: 'POST' })).json();
const status = async (shop, id) => (await (await fetch(`${shop.url}?order=${id}`)).json()).status;
// Runs the cron line; what it logs is in the shop's log afterwards.
async function cron(shop) {
  const log = join(world.folder, 'cron.log');
  await runFile(join(folder, 'cron.php'), shop.env, ['-d', 'log_errors=1', '-d', `error_log=${log}`]);
  if (!existsSync(log)) return;
  shop.log += readFileSync(log, 'utf8');
  rmSync(log);
}
const deliveries = (shop, id) => shop.log.match(new RegExp(`deliver order ${id}$`, 'gm'))?.length ?? 0;

test('a shop that gets no webhooks delivers each paid order once, by its cron line', async () => {
  const shop = await open();
  const orders = [await buy(shop), await buy(shop), await buy(shop)];
  await world.client.sandbox.pay(orders[0].transaction_id);
  await cron(shop);
  assert.equal(await status(shop, 1), 'paid');
  assert.equal(await status(shop, 2), 'waiting');
  await world.client.sandbox.pay(orders[1].transaction_id);
  await world.client.sandbox.expire(orders[2].transaction_id);
  await cron(shop);
  await cron(shop);
  assert.deepEqual([1, 2, 3].map((id) => deliveries(shop, id)), [1, 1, 0]);
  await world.client.transactions.refund(orders[0].transaction_id);
  await cron(shop);
  assert.equal(await status(shop, 1), 'refunded');
  shop.stop();
});

test('what a run could not do is done by the next one', async () => {
  const shop = await open();
  const { id, transaction_id: charge } = await buy(shop);
  await world.client.sandbox.pay(charge);
  await assert.rejects(cron({ ...shop, env: { ...shop.env, PIXLEDGER_KEY: 'sk_test_wrong' } }), /ERR_AUTH_009/);
  assert.equal(await status(shop, id), 'waiting');
  await cron(shop);
  assert.equal(await status(shop, id), 'paid');
  shop.stop();
});

test('a shop does not deliver what the sandbox paid, nor what another shop sold', async () => {
  const inEarnest = await open({ SHOP_IS_A_TRIAL: 'no' });
  const other = await open();
  const [mine, others] = [await buy(inEarnest), await buy(other)];
  assert.equal(mine.id, others.id);
  await world.client.sandbox.pay(mine.transaction_id);
  await cron(inEarnest);
  await cron(other);
  assert.deepEqual([await status(inEarnest, mine.id), await status(other, others.id)], ['waiting', 'waiting']);
  inEarnest.stop();
  other.stop();
});

test('after a restore of the service the cron line goes on, and says so', async () => {
  const shop = await open();
  const kept = await buy(shop);
  const backup = await world.backUp();
  await world.client.sandbox.pay(kept.transaction_id);
  await cron(shop);
  await world.restore(backup);
  shop.env.PIXLEDGER_URL = world.baseUrl;
  await cron(shop);
  assert.match(shop.log, /restored from a backup/);
  await world.client.sandbox.pay(kept.transaction_id);
  await cron(shop);
  assert.equal(deliveries(shop, kept.id), 1);
  shop.stop();
});

test('webhooks deliver at once, and the cron line does not deliver again; forged ones are refused', async () => {
  await world.start('pixledger-webhooks', [...target, '--resume-from', 'head'], 'stderr', /at work/);
  const shop = await open();
  const { id, transaction_id: charge } = await buy(shop);
  await world.client.sandbox.pay(charge);
  await until(async () => (await status(shop, id)) === 'paid');
  await cron(shop);
  assert.equal(deliveries(shop, id), 1);
  const forged = await fetch(`${shop.url}webhook.php`, { method: 'POST', body: '{"event":"transaction.paid"}' });
  assert.equal(forged.status, 401);
  assert.equal((await fetch(`${shop.url}cron.php`)).status, 404);
  shop.stop();
});

test('the shop in one file sells one thing and hears that it is paid', async () => {
  const shop = await openShop('', [join(sdk, 'example/shop.php')]);
  assert.match(await (await fetch(shop.url)).text(), /^pay this: 000201/);
  await until(() => /^deliver: Camiseta$/m.test(shop.log));
  assert.equal((await fetch(shop.url, { method: 'POST', body: '{}' })).status, 401);
  shop.stop();
});
