// A cluster and nodes of a ledger in it, which end with the test file.
import { after } from 'node:test';
import { Cluster } from './cluster.mjs';
import { stopLoads } from './load.mjs';
import { Nodes } from './nodes.mjs';

// Returns {cluster, nodes} with `count` running nodes.
export async function open(count) {
  const cluster = new Cluster();
  const nodes = new Nodes();
  after(async () => {
    await stopLoads();
    await nodes.stop();
    await cluster.stop();
  });
  await cluster.start();
  await nodes.start(cluster, count);
  return { cluster, nodes };
}
