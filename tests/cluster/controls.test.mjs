// Controls: a server that skips one safeguard of a shared ledger fails the audits that sound nodes pass.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from './audit.mjs';
import { pause, signalIfThere, until } from './cluster.mjs';
import { Load } from './load.mjs';
import { open } from './open.mjs';
import { randomFrom } from './random.mjs';

// These tests lose commits on purpose.
process.env.PIXLEDGER_ON_LOST_COMMITS = 'continue';
const { cluster, nodes } = await open(2);
const waitingForStandby = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query NOT LIKE '%beat%'";

async function restartAll(...program) {
  for (const node of nodes.all) await node.stop();
  for (const node of nodes.all) await node.start(...program);
}

const loadOn = (...all) => new Load(all, nodes.project.testKey, randomFrom(7));
const isFoundOut = (load) => assert.rejects(audit(load, nodes.all, []), (error) => error.code === 'ERR_ASSERTION');

// The leader's machine is lost for good, and the standby, which was stopped before, takes its place.
async function lose(leader) {
  leader.signalWhole('SIGKILL');
  // They end before they read their sockets' buffers.
  cluster.signalReceivers('SIGTERM');
  cluster.signalReceivers('SIGCONT');
  await cluster.promotionBeside(leader);
}

test('a server that answers from its copy is found out', { timeout: 300_000 }, async () => {
  await restartAll('faulty_server', '--fault', 'never-catches-up');
  const load = loadOn(...nodes.all);
  load.start(8, 0);
  await until(() => load.acknowledged.length >= 500, 'creations');
  await load.stop();
  assert.notEqual(load.missing.length, 0, 'a charge that another node had not seen');
});

// `sound`: the nodes have no fault, and must survive the same.
for (const [fault, sound] of [['believes-at-once', true], ['believes-at-once', false], ['commits-locally', true], ['commits-locally', false]]) {
  test(`${sound ? 'a sound server survives what finds out' : 'found out is'} a server that ${fault}`, { timeout: 300_000 }, async () => {
    await cluster.settled(2);
    await restartAll(...(sound ? ['pixledger-server'] : ['faulty_server', '--fault', fault]));
    const { leader } = await cluster.settled(2);
    const [node] = nodes.all;
    const load = loadOn(node);
    cluster.signalReceivers('SIGSTOP');
    const [number, key] = [1, `key-of-${fault}-${sound}`];
    const creation = load.create(node, number, key);
    if (fault === 'believes-at-once') {
      // The commit waits; its primary restarts, and shows it to every reader.
      await until(async () => (await leader.sql(waitingForStandby)) !== '0', 'a commit that waits');
      signalIfThere(leader.patroni(), 'SIGSTOP');
      leader.startAgain();
    }
    let { status, body } = await creation;
    for (const end = Date.now() + 8000; status !== 201 && Date.now() < end; await pause(200)) ({ status, body } = await load.create(node, number, key));
    await lose(leader);
    try {
      assert.equal(status, sound ? 503 : 201, `${body} ${node.log.slice(-2000)}`);
      if (!sound) {
        load.acknowledged.push({ number, key, id: JSON.parse(body).data.id, body });
        await isFoundOut(load);
      }
    } finally {
      leader.keepAgain();
    }
  });
}
