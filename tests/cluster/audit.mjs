// Checks that must hold for nodes after any fault.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './cluster.mjs';

// Writes a node's current checkpoint to a file beside its data.
export async function keepCheckpoint(node, number) {
  const file = join(node.directory, `..`, `checkpoint-${number}`);
  writeFileSync(file, await node.pixledger('checkpoint'));
  return file;
}

// Each acknowledged creation exists once, on each node, and its repeat is the same to the byte. All nodes have one
// ledger, which continues every signed checkpoint.
export async function audit(load, nodes, checkpoints) {
  assert.deepEqual(load.missing, [], 'acknowledged at one node, and not there at another');
  const ids = new Set(load.acknowledged.map((one) => one.id));
  assert.equal(ids.size, load.acknowledged.length, 'two creations with one id');
  for (const node of nodes)
    await until(() => node.isReady(), `${node.name} is ready again: ${node.log}`);
  for (const [i, { key, number, id, body }] of load.acknowledged.entries()) {
    for (const node of nodes) assert.equal((await load.ask(node, `/${id}`)).status, 200, `${id} at ${node.name}`);
    const repeat = await load.create(nodes[i % nodes.length], number, key);
    assert.deepEqual([repeat.status, repeat.body], [201, body], `the repeat of ${key}`);
  }
  const signed = [];
  for (const node of nodes) {
    const listed = JSON.parse(await node.pixledger('verify', '--json'));
    assert.equal(listed.sound ?? listed.verified ?? true, true, `verify on ${node.name}`);
    signed.push((await node.pixledger('checkpoint')).split('\n').slice(0, 3).join('\n'));
    for (const file of checkpoints) await node.pixledger('verify', '--against', file);
  }
  assert.equal(new Set(signed).size, 1, `one checkpoint: ${signed.join(' ')}`);
}
