// What earlier releases left on the disk, opened, verified, served and gone on with by today's programs, along the path
// that the operator's handbook describes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { verifyWebhook } from '../../sdk/node/index.mjs';
import { Installation } from './installation.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const releases = readdirSync(here).flatMap((name) => /^release-(.*)\.json$/.exec(name)?.[1] ?? []);
assert.ok(releases.length > 0);

// Later releases may show more, and nothing else.
function assertShownStill(now, then, where) {
  if (then === null || typeof then !== 'object') return assert.deepEqual(now, then, where);
  assert.equal(Array.isArray(now), Array.isArray(then), where);
  if (Array.isArray(then)) assert.equal(now.length, then.length, where);
  for (const [name, value] of Object.entries(then)) assertShownStill(now?.[name], value, `${where}/${name}`);
}

// The ids of events have changed once since; cursors of then are still taken.
function withoutIds({ body, ...answer }) {
  return { ...answer, body: { ...body, meta: undefined, data: body.data.map(({ id, ...event }) => event) } };
}

for (const release of releases)
  describe(`a data directory of ${release}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'pixledger-upgrade-'));
    const recorded = JSON.parse(readFileSync(join(here, `release-${release}.json`)));
    const site = new Installation(join(folder, 'data'));
    const file = (name, text) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    let checkpoint;

    before(() => {
      execFileSync('tar', ['--extract', '--xz', '--file', join(here, `release-${release}.tar.xz`), '-C', folder]);
      // As an operator's umask may not have left it.
      chmodSync(join(folder, 'data/keys'), 0o700);
      for (const each of readdirSync(join(folder, 'data/keys'))) chmodSync(join(folder, 'data/keys', each), 0o600);
      checkpoint = file('checkpoint', recorded.checkpoint);
    });
    after(async () => {
      await site.stop();
      site.stopReceiver();
      rmSync(folder, { recursive: true });
    });

    test('verifies before anything has written to it', async () => {
      await site.pixledger('verify', '--against', checkpoint);
      assertShownStill(await site.json('report'), recorded.report, 'report');
      assert.equal(await site.pixledger('checkpoint', '--public-key'), recorded.publicKey);
      const receipt = file('receipt.json', JSON.stringify(recorded.receipt));
      await site.pixledger('check-proof', receipt, '--public-key', file('key', recorded.publicKey));
    });

    test('is served as it was', async () => {
      await site.startReceiver();
      await site.start();
      for (const [path, then] of Object.entries(recorded.shown)) {
        // What the worker expires meanwhile comes behind.
        const first = ({ body, ...answer }) => ({ ...answer, body: { ...body, data: body.data.slice(0, then.body.data.length) } });
        const strip = path.startsWith('/api/v1/events') ? (answer) => first(withoutIds(answer)) : (answer) => answer;
        assertShownStill(strip(await site.get(recorded.project.liveKey, path)), strip(then), path);
      }
    });

    test('goes on: charges, webhooks in both forms, nothing sent again', async () => {
      const client = site.client(recorded.project.testKey);
      const live = site.client(recorded.project.liveKey);
      const { v1, v2, refusing } = recorded.channels;
      await live.channels.delete(refusing);
      const { secret } = await live.channels.rotateSecret(v2, { graceSeconds: 0 });
      await live.channels.update(v2, { url: `${site.receiverUrl}/v2` });
      await live.channels.update(v1, { url: `${site.receiverUrl}/v1` });
      const paidBefore = recorded.charges[1];
      await client.transactions.refund(paidBefore);
      const { id } = await client.transactions.create({
        customer: { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' },
        payment: { amountCents: 1990, product: 'Camiseta' },
        originDomain: 'loja.example.com',
      });
      await client.sandbox.pay(id);
      for (const path of ['/v1', '/v2'])
        await site.arrived((each) => each.path === path && each.headers['x-webhook-event'] === 'transaction.paid');
      const refunded = ({ headers }) => headers['x-webhook-event'] === 'transaction.refunded';
      const [{ rawBody, headers }] = await site.arrived((each) => each.path === '/v2' && refunded(each));
      assert.equal(verifyWebhook(rawBody, headers, secret).data.transactionId, paidBefore);
      await site.arrived((each) => each.path === '/v1' && refunded(each));
    });

    test('has two worlds: what they shared is live', async () => {
      const client = site.client(recorded.project.testKey);
      const live = site.client(recorded.project.liveKey);
      const refused = { status: 403, code: 'ERR_AUTH_010' };
      const shared = recorded.shown['/api/v1/customers'].body.data.map(({ id }) => id);
      let sandboxed = 0;
      for (const id of recorded.charges) {
        const charge = await live.transactions.get(id);
        if (charge.environment === 'live') {
          await assert.rejects(client.transactions.get(id), refused);
          continue;
        }
        ++sandboxed;
        const { customer } = await client.transactions.get(id);
        assert.deepEqual(customer, charge.customer);
        assert.ok(shared.includes(customer.id));
      }
      assert.ok(sandboxed > 0);
      for (const id of shared) {
        assert.equal((await live.customers.get(id)).environment, 'live');
        await assert.rejects(client.customers.get(id), refused);
      }
      const { data: made } = await client.customers.list();
      assert.deepEqual(made.map(({ name, environment }) => [name, environment]), [['Ana Lima', 'sandbox']]);
      assert.ok(!shared.includes(made[0].id));

      const { meta } = await live.blocklist.list();
      assert.equal(meta.total, recorded.shown['/api/v1/blocklist'].body.meta.total);
      assert.equal((await client.blocklist.list()).meta.total, 0);

      const channel = await live.channels.get(recorded.channels.v2);
      assert.deepEqual(channel.environments, ['live', 'sandbox']);
      await assert.rejects(client.channels.get(channel.id), refused);
    });

    test('verifies after that, and still extends what it was', async () => {
      assert.equal(await site.stop(), 0);
      assert.equal(site.webhooks.length, 6);
      await site.pixledger('verify', '--against', checkpoint);
      const { asOf } = recorded.report;
      assertShownStill(await site.json('report', '--as-of', String(asOf.position)), recorded.report, 'report');
    });
  });
