// A ledger moves from one machine to several, and back by a backup; and another machine's worker goes on with the webhooks
// of a machine that is gone.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { until } from './cluster.mjs';
import { Load } from './load.mjs';
import { Node } from './nodes.mjs';
import { open } from './open.mjs';
import { randomFrom } from './random.mjs';

const { cluster, nodes } = await open(2);
const parent = mkdtempSync(join(tmpdir(), 'pixledger-moving-'));
const others = [];
after(async () => {
  for (const node of others) await node.stop();
  rmSync(parent, { recursive: true, force: true, maxRetries: 10 });
});

// The URIs of another database of the cluster.
async function database(name) {
  const { leader } = await cluster.settled();
  await leader.sql(`CREATE DATABASE ${name} OWNER pixledger_owner`, 'postgres');
  // A client tries the members one after the other, and gives up at the first that does not know the database yet.
  await until(async () => (await Promise.all(cluster.members.map((one) => one.sql('SELECT 1', name).catch(() => '')))).every(Boolean), name);
  const named = (uri) => uri.replace('/pixledger?', `/${name}?`);
  return ['--ledger', named(cluster.uri), '--ledger-owner', named(cluster.owner)];
}

const nodeIn = (name, uri) => {
  const node = new Node(parent, name, uri);
  others.push(node);
  return node;
};
// Origin, size and root.
const tree = async (node) => (await node.pixledger('checkpoint')).split('\n').slice(0, 3).join(' ');

test('a ledger moves to a database with all its data, and back by a backup', { timeout: 300_000 }, async () => {
  const alone = nodeIn('alone');
  await alone.pixledger('init');
  const project = JSON.parse(await alone.pixledger('project', 'create', '--name', 'Loja', '--pix-key', 'loja@example.com', '--json'));
  await alone.pixledger('channel', 'add', '--project', project.projectId, '--url', 'http://127.0.0.1:9/', '--allow-http', '--allow-target', '127.0.0.0/8');
  await alone.start();
  const load = new Load([alone], project.testKey, randomFrom(3));
  load.start(4, 0);
  await until(() => load.acknowledged.length >= 50, 'creations');
  await load.stop();
  const worker = spawn(join(process.env.PIXLEDGER_BIN_DIR, 'pixledger-webhooks'), [...alone.options(), '--allow-http', '--allow-target', '127.0.0.0/8', '--resume-from', 'beginning']);
  const deliveries = async (node, { channelId }) => (await node.pixledger('deliveries', 'list', '--channel', channelId, '--json'));
  const [channel] = JSON.parse(await alone.pixledger('channel', 'list', '--project', project.projectId, '--json'));
  await until(async () => /"attempts":\[\{/.test(await deliveries(alone, channel).catch(() => '')), 'attempts to deliver');
  const into = await database('migrated');

  const whileItRuns = await alone.pixledger('migrate', ...into).catch((error) => error);
  assert.equal(whileItRuns.code, 3);
  assert.match(whileItRuns.stderr, /is at work in the data directory/);
  worker.kill('SIGKILL');
  await alone.stop();

  const [{ id }] = load.acknowledged;
  const receipt = join(parent, 'receipt');
  writeFileSync(receipt, await alone.pixledger('prove', '--id', id, '--json'));
  const checkpoint = join(parent, 'checkpoint');
  writeFileSync(checkpoint, await alone.pixledger('checkpoint'));
  const [before, sentBefore] = [await tree(alone), await deliveries(alone, channel)];
  const moved = JSON.parse(await alone.pixledger('migrate', ...into, '--json'));
  assert.equal(moved.rootHash, moved.rootHashThere);
  assert.equal(await tree(alone), before);
  assert.equal(await deliveries(alone, channel), sentBefore);
  assert.equal((await alone.pixledger('migrate', ...into).catch((error) => error)).code, 1);

  // Another node has all of it, and earlier proofs hold there.
  const second = nodeIn('second', into[1]);
  mkdirSync(second.directory);
  cpSync(join(alone.directory, 'keys'), join(second.directory, 'keys'), { recursive: true });
  await second.start();
  assert.equal(await tree(second), before);
  assert.equal(await deliveries(second, channel), sentBefore);
  await second.pixledger('verify', '--against', checkpoint);
  await second.pixledger('check-proof', receipt);
  const again = new Load([second], project.testKey, randomFrom(4));
  const { key, number, body } = load.acknowledged[7];
  assert.equal((await again.create(second, number, key)).body, body);
  again.start(2, 0);
  await until(() => again.acknowledged.length >= 10, 'creations at the new node');
  await again.stop();

  // From a node to one machine, and to another database.
  const backup = join(parent, 'backup');
  await second.pixledger('backup', backup, '--with-keys');
  const [size, root] = (await tree(second)).split(' ').slice(-2);
  const single = nodeIn('single');
  await single.pixledger('restore', backup);
  assert.deepEqual((await tree(single)).split(' ').slice(-2), [size, root]);
  await single.pixledger('verify');
  assert.equal(JSON.parse(await deliveries(single, channel)).length, JSON.parse(sentBefore).length);
  const elsewhere = await database('restored');
  const restored = nodeIn('restored');
  await restored.pixledger('restore', backup, ...elsewhere);
  assert.deepEqual((await tree(restored)).split(' ').slice(-2), [size, root]);
  assert.equal(JSON.parse(await deliveries(restored, channel)).length, JSON.parse(sentBefore).length);
  await restored.pixledger('verify', '--against', checkpoint);
  const onto = await nodeIn('onto').pixledger('restore', backup, ...elsewhere).catch((error) => error);
  assert.equal(onto.code, 3);
  assert.match(onto.stderr, /has a ledger already/);
});

test('the worker of a lost machine is followed by another, which sends every webhook', { timeout: 300_000 }, async () => {
  const told = new Set();
  const receiver = http.createServer((request, response) => {
    let text = '';
    request.on('data', (part) => { text += part; });
    request.on('end', () => {
      told.add(JSON.parse(text).data.transactionId);
      response.end();
    });
  });
  await new Promise((resolve) => { receiver.listen(0, '127.0.0.1', resolve); });
  after(() => receiver.close());
  const [first, second] = nodes.all;
  const allowed = ['--allow-http', '--allow-target', '127.0.0.0/8'];
  await first.pixledger('channel', 'add', '--project', nodes.project.projectId, '--url', `http://127.0.0.1:${receiver.address().port}/`, '--events', 'transaction.created', ...allowed);
  // --resume-from is needed once a ledger: the first worker uses it.
  const options = [...allowed, '--resume-from', 'beginning'];
  const workers = [first, second].map((node) => spawn(join(process.env.PIXLEDGER_BIN_DIR, 'pixledger-webhooks'), [...node.options(), ...options]));
  after(() => workers.forEach((worker) => worker.kill('SIGKILL')));
  const load = new Load([first, second], nodes.project.testKey, randomFrom(5));
  load.start(2, 20);
  await until(() => told.size >= 20, 'webhooks');
  const active = (await (await cluster.settled()).leader.sql("SELECT node FROM pixledger.turn WHERE worker = 'pixledger-webhooks'"));
  const gone = active === first.name ? 0 : 1;
  workers[gone].kill('SIGKILL');
  await nodes.all[gone].stop();
  load.nodes = [nodes.all[1 - gone]];
  await until(() => load.acknowledged.length >= 200, 'creations at the other node');
  await load.stop();
  await until(() => load.acknowledged.every(({ id }) => told.has(id)), 'webhooks of all');
  const known = new Set(load.acknowledged.map(({ id }) => id));
  for (const id of told)
    if (!known.has(id)) assert.equal((await load.ask(load.nodes[0], `/${id}`)).status, 200, 'of one whose answer was lost');
});
