// Three nodes of one ledger. PIXLEDGER_READS is the number of charges that one node acknowledges and another reads at once.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { audit } from './audit.mjs';
import { until } from './cluster.mjs';
import { Load } from './load.mjs';
import { open } from './open.mjs';
import { randomFrom } from './random.mjs';

const reads = Number(process.env.PIXLEDGER_READS ?? 1000);
const { cluster, nodes } = await open(3);
const [first, second, third] = nodes.all;

// The exit code and the output.
async function outcome(node, ...words) {
  try {
    return { code: 0, text: await node.pixledger(...words) };
  } catch ({ code, stderr }) {
    return { code, text: stderr };
  }
}

test(`a charge that one node has acknowledged another shows at once, ${reads} times`, { timeout: 900_000 }, async () => {
  const load = new Load(nodes.all, nodes.project.testKey, randomFrom(1));
  load.start(8, 0);
  await until(() => load.acknowledged.length >= reads, `${reads} creations`, 600);
  await load.stop();
  assert.deepEqual(load.statuses, { 201: load.acknowledged.length });
  load.acknowledged.splice(200);
  await audit(load, nodes.all, []);
});

test('a key works at all nodes once it was issued at one, and at no node once it was revoked', { timeout: 120_000 }, async () => {
  const { projectId } = nodes.project;
  const body = JSON.stringify({
    customer: { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' },
    payment: { amountCents: 1990, product: 'Pedido' },
    originDomain: 'loja.example',
  });
  const create = async (key, once) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': once };
    return (await fetch(second.url('/api/v1/transactions'), { method: 'POST', headers, body })).status;
  };
  for (let round = 0; round < 5; ++round) {
    const issued = JSON.parse(await first.pixledger('key', 'issue', '--project', projectId, '--env', 'test', '--json'));
    assert.equal(await create(issued.key, `once-${round}`), 201);
    await first.pixledger('key', 'revoke', '--key-id', issued.keyId);
    assert.equal(await create(issued.key, `once-${round}`), 401, 'a repeat');
    assert.equal(await create(issued.key, `new-${round}`), 401);
  }
});

test('a customer erased at one node is erased at all of them, and in the tables', { timeout: 300_000 }, async () => {
  const name = 'Zuleica Marcador Quintanilha';
  const headers = { Authorization: `Bearer ${nodes.project.testKey}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({
    customer: { name, document: '11144477735', email: 'zuleica@example.com', phone: '11987654321' },
    payment: { amountCents: 1990, product: 'Pedido' },
    originDomain: 'loja.example',
  });
  const created = await fetch(second.url('/api/v1/transactions'), { method: 'POST', headers, body });
  assert.equal(created.status, 201);
  const { id } = (await created.json()).data;
  for (const node of nodes.all) assert.match(await (await fetch(node.url(`/api/v1/transactions/${id}`), { headers })).text(), new RegExp(name));
  // An answer that a node has given, and repeats.
  const saved = JSON.stringify({ name, document: '11144477735', email: 'zuleica@example.com', phone: '11987654321',
    address: { street: 'Rua A', streetNumber: '1', neighborhood: 'Centro', zipCode: '50000000', city: 'Recife', state: 'PE', country: 'BR' } });
  const told = async (node) => {
    const answers = [
      await fetch(node.url('/api/v1/customers'), { method: 'POST', body: saved, headers: { ...headers, 'Idempotency-Key': 'saved-once' } }),
      await fetch(node.url(`/api/v1/transactions/${id}`), { headers }),
      await fetch(node.url('/api/v1/exports/charges?format=jsonl'), { headers }),
      await fetch(node.url('/api/v1/customers?environment=sandbox'), { headers }),
    ];
    assert.deepEqual(answers.map(({ status }) => Math.floor(status / 100)), [2, 2, 2, 2]);
    return (await Promise.all(answers.map((answer) => answer.text()))).map((text) => text.includes(name));
  };
  for (const node of nodes.all) assert.deepEqual(await told(node), [true, true, true, true]);
  const isIn = (directory) => spawnSync('grep', ['-raqF', name, directory]).status === 0;
  for (const node of nodes.all) assert.ok(isIn(node.directory), `${node.name} has the name before`);

  const found = await first.pixledger('customer', 'find', '--project', nodes.project.projectId, '--document', '11144477735', '--json');
  const customer = /"(?:id|customerId)":"([^"]+)"/.exec(found)[1];
  const erase = ['customer', 'erase', '--id', customer, '--reason', 'asked by letter', '--wait', '40'];
  await third.stop();
  const withOneAway = await outcome(first, ...erase);
  assert.equal(withOneAway.code, 3, withOneAway.text);
  assert.match(withOneAway.text, /n3/);
  assert.doesNotMatch(withOneAway.text, /n2/);
  assert.ok(!isIn(first.directory), 'still on the node that was asked');
  assert.ok(!isIn(second.directory), 'still on another node');
  assert.ok(isIn(third.directory), 'the one that is away has it still');
  for (const node of [first, second]) assert.deepEqual(await told(node), [false, false, false, false], node.name);

  await third.start();
  await until(async () => (await outcome(first, ...erase)).code === 0, 'the same command ends with 0');
  assert.ok(!isIn(third.directory), 'still on the node that was away');
  assert.deepEqual(await told(third), [false, false, false, false]);
  for (const node of nodes.all) await node.pixledger('verify');

  // As in the handbook.
  const { leader } = await cluster.settled();
  await leader.sql('VACUUM (FULL) pixledger.personal');
  await until(async () => {
    for (const member of cluster.members) await member.sql('CHECKPOINT').catch(() => '');
    return cluster.members.every((member) => !isIn(member.tables()));
  }, 'no table file names them');
});
