// The examples for shops: each order is delivered once, whether its webhook comes, the cron line runs, or both.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { order, World } from '../world.mjs';
import { run, runFile, sdk } from './php.mjs';

const target = ['--allow-http', '--allow-target', '127.0.0.0/8'];
let world;
before(async () => {
  world = await World.open();
});
const shops = [];
after(() => {
  shops.forEach((shop) => shop.stop());
  return world.close();
});

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// A shop that PHP's own web server shows, with a channel if its page has a name: {url, env, log, stop}.
async function openShop(name, parametersFor, more = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const channel = ['channel', 'add', '--project', world.project.projectId, '--url', `${url}${name}`, ...target];
  const { secret } = name === undefined ? { secret: 'whsec_c2VjcmV0' } : await world.pixledger(...channel);
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
  const shop = { url, env, log: '', stop: () => child.kill() };
  shops.push(shop);
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
// As servers with PHP's own settings have it.
const showErrors = ['-d', 'display_errors=1', '-d', 'output_buffering=0'];
const open = (more, name = undefined) => openShop(name, [...showErrors, '-t', folder], more);
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
  assert.match(inEarnest.log, /order 1: ignored .* of the environment sandbox$/m);
  assert.doesNotMatch(other.log, /ignored/);
  inEarnest.stop();
  other.stop();
});

// What stands between a shop and the service: passes on all requests, but those that `act` answers.
async function wallBefore(context) {
  const wall = { act: () => false };
  const server = http.createServer((request, response) => {
    if (wall.act(request, response) !== false) return;
    const { method, headers, url } = request;
    const passed = http.request(`${world.baseUrl}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  wall.url = `http://127.0.0.1:${server.address().port}`;
  return wall;
}
const page = (status) => (request, response) =>
  response.writeHead(status, { 'Content-Type': 'text/html' }).end('<title>no</title>');
const page403 = page(403);
const isOfOne = ({ url }) => /transactions\/c/.test(url);

test('a firewall’s 403 or 404 does not pass for a transaction of others', async (context) => {
  const wall = await wallBefore(context);
  const shop = await open({ PIXLEDGER_URL: wall.url });
  const { id, transaction_id: charge } = await buy(shop);
  await world.client.sandbox.pay(charge);
  for (const status of [403, 404]) {
    wall.act = (request, response) => isOfOne(request) && page(status)(request, response);
    await assert.rejects(cron(shop), new RegExp(`ERR_HTTP_${status}`));
  }
  wall.act = () => false;
  await cron(shop);
  assert.equal(deliveries(shop, id), 1);
  shop.stop();
});

test('a second payment is reported, and its refund leaves the order paid', async () => {
  const shop = await open();
  const { id, transaction_id: first } = await buy(shop);
  const { externalId } = await world.client.transactions.get(first);
  const second = await world.client.transactions.create({ ...order, externalId });
  await world.client.sandbox.pay(first);
  await world.client.sandbox.pay(second.id);
  await cron(shop);
  assert.match(shop.log, new RegExp(`order ${id}: paid twice.*${second.id}`));
  await world.client.transactions.refund(second.id);
  await cron(shop);
  assert.equal(await status(shop, id), 'paid');
  await world.client.transactions.refund(first, { amountCents: 100 });
  await cron(shop);
  assert.match(shop.log, new RegExp(`order ${id}: 100 cents were refunded$`, 'm'));
  await world.client.transactions.refund(first);
  await cron(shop);
  assert.equal(await status(shop, id), 'refunded');
  shop.stop();
});

test('a delivery that fails is done again', async () => {
  const shop = await open();
  const { id, transaction_id: charge } = await buy(shop);
  await world.client.sandbox.pay(charge);
  const said = await run(
    `require '${folder}/shop.php';
    $broken = new class extends \\Shop {
      protected function deliver(string $id): void { throw new \\RuntimeException('no printer'); }
    };
    try { $broken->settle($input); } catch (\\RuntimeException $error) { return $error->getMessage(); }`,
    charge,
    shop.env,
  );
  assert.equal(said, 'no printer');
  assert.equal(await status(shop, id), 'waiting');
  await cron(shop);
  assert.equal(deliveries(shop, id), 1);
  shop.stop();
});

test('a page that fails answers 500, in the time that webhooks have, though PHP shows errors', async (context) => {
  const wall = await wallBefore(context);
  const shop = await open({ PIXLEDGER_URL: wall.url });
  await buy(shop);
  const event = (key) => {
    const body = JSON.stringify({ event: 'transaction.paid', data: { transactionId: 'c00000000000000000000aaaa' } });
    const signature = createHmac('sha256', key).update(body).digest('hex');
    return fetch(`${shop.url}webhook.php`, { method: 'POST', body, headers: { 'X-Webhook-Signature': signature } });
  };
  const key = shop.env.PIXLEDGER_WEBHOOK_SECRET;
  assert.equal((await event(key)).status, 200);
  wall.act = page403;
  assert.equal((await event(key)).status, 500);
  assert.equal((await event('other')).status, 401);
  wall.act = () => true; // no answer at all
  const start = Date.now();
  assert.equal((await event(key)).status, 500);
  assert.ok(Date.now() - start < 15_000);
  shop.stop();
});

test('a sale whose charge failed can be repeated, and the order shows its code', async (context) => {
  const wall = await wallBefore(context);
  const shop = await open({ PIXLEDGER_URL: wall.url });
  assert.equal((await fetch(`${shop.url}?order=1`)).status, 404);
  wall.act = ({ method }, response) => method === 'POST' && page403(null, response);
  assert.equal((await fetch(shop.url, { method: 'POST' })).status, 500);
  wall.act = () => false;
  const again = async (method) => (await fetch(`${shop.url}?order=1`, { method })).json();
  assert.equal((await again('GET')).pixCode, null);
  const sold = await again('POST');
  assert.match(sold.pixCode, /^000201/);
  assert.deepEqual(await again('POST'), sold);
  assert.deepEqual(await again('GET'), sold);
  shop.stop();
});

test('the cron line says which setting is missing', async () => {
  const settings = { PIXLEDGER_URL: world.baseUrl, PIXLEDGER_KEY: world.project.testKey, SHOP_DATABASE: '' };
  await assert.rejects(cron({ env: settings }), /set SHOP_DATABASE/);
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
  const shop = await open({}, 'webhook.php');
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
  const shop = await openShop('', [...showErrors, join(sdk, 'example/shop.php')]);
  assert.match(await (await fetch(shop.url)).text(), /^pay this: 000201/);
  await until(() => /^deliver: Camiseta$/m.test(shop.log));
  assert.equal((await fetch(shop.url, { method: 'POST', body: '{}' })).status, 401);
  shop.stop();
});
