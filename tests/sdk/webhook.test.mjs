// verifyWebhook against bytes that the worker really sent, and against everything that must be refused.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as standardwebhooks from 'standardwebhooks';
import * as svix from 'svix';
import * as esm from '../../sdk/node/index.mjs';
import { World, order } from './world.mjs';

const { WebhookVerificationError, verifyWebhook } = esm;
const cjs = createRequire(import.meta.url)('../../sdk/node/index.cjs');
let world;
const sent = {}; // version → [{headers, rawBody}, …] of created and paid
const secrets = {};

before(async () => {
  world = await World.open();
  await world.startReceiver();
  for (const version of ['v1', 'v2']) {
    const add = ['channel', 'add', '--project', world.project.projectId, '--url', `${world.receiverUrl}/${version}`];
    const { secret } = await world.pixledger(...add, '--api-version', version, '--allow-target', '127.0.0.0/8');
    secrets[version] = secret;
  }
  const { id } = await world.client.transactions.create({ ...order, metadata: { order: '1042' } });
  await world.client.sandbox.pay(id);
  for (const version of ['v1', 'v2']) sent[version] = await world.arrived(`/${version}`, 2);
});
after(() => world.close());

const hex = (secret, ...parts) => {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
};
const refuses = (code, ...call) =>
  assert.throws(
    () => verifyWebhook(...call),
    (error) =>
      error instanceof WebhookVerificationError &&
      error.code === code &&
      String(error) === `WebhookVerificationError: ${code}: ${error.message}` &&
      error.message.length > 10,
  );
const json = JSON.stringify({ event: 'transaction.paid', data: {} });
const v2Of = (secret, body, t) => ({ 'x-webhook-signature': `t=${t},v1=${hex(secret, `${t}.`, body)}` });
const nowSeconds = () => Math.floor(Date.now() / 1000);

for (const version of ['v1', 'v2']) {
  test(`${version}: what the worker sent is verified, in every way headers are handed out`, () => {
    for (const { headers, rawBody } of sent[version]) {
      const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
      for (const form of [headers, upper, new Headers(headers), new Map(Object.entries(headers))]) {
        const webhook = verifyWebhook(rawBody, form, secrets[version]);
        const { delivery, ...body } = webhook;
        assert.deepEqual(body, JSON.parse(rawBody.toString()));
        assert.equal(body.data.product, order.payment.product);
        assert.equal(delivery.version, version);
        assert.equal(delivery.attempt, 1);
        assert.match(delivery.id, /^c[0-9a-z]{24}$/);
      }
      for (const bytes of [rawBody.toString(), new Uint8Array(rawBody), new Uint8Array(rawBody).buffer])
        assert.ok(verifyWebhook(bytes, headers, secrets[version]));
      assert.ok(cjs.verifyWebhook(rawBody, headers, ['another', secrets[version]]));
    }
    const events = sent[version].map((each) => verifyWebhook(each.rawBody, each.headers, secrets[version]));
    assert.deepEqual(events.map(({ event }) => event).sort(), ['transaction.created', 'transaction.paid']);
    assert.deepEqual(events.map(({ delivery }) => delivery.sequence).sort(), [1, 2]);
  });

  test(`${version}: Node's own crypto and openssl agree with the worker`, () => {
    for (const { headers, rawBody } of sent[version]) {
      const signature = headers['x-webhook-signature'];
      const [, t, mac] = version === 'v2' ? /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) : [null, null, signature];
      const signed = version === 'v2' ? Buffer.concat([Buffer.from(`${t}.`), rawBody]) : rawBody;
      assert.equal(hex(secrets[version], signed), mac);
      const file = join(world.folder, 'signed');
      writeFileSync(file, signed);
      const openssl = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secrets[version], '-r', file]);
      assert.equal(openssl.toString().split(' ')[0], mac);
    }
  });

  test(`${version}: another body, secret or signature is refused`, () => {
    const { headers, rawBody } = sent[version][0];
    const flipped = Buffer.from(rawBody);
    for (const at of [0, flipped.length >> 1, flipped.length - 1]) {
      flipped[at] ^= 1;
      refuses('signature_mismatch', flipped, headers, secrets[version]);
      flipped[at] ^= 1;
    }
    refuses('signature_mismatch', Buffer.concat([rawBody, Buffer.from(' ')]), headers, secrets[version]);
    refuses('signature_mismatch', JSON.stringify(JSON.parse(rawBody), null, 1), headers, secrets[version]);
    refuses('signature_mismatch', rawBody, headers, `${secrets[version]}x`);
    refuses('signature_mismatch', rawBody, headers, secrets[version === 'v1' ? 'v2' : 'v1']);
    refuses('signature_mismatch', rawBody, sent[version][1].headers, secrets[version]);
    const { 'x-webhook-signature': gone, 'webhook-signature': _, ...others } = headers;
    refuses('missing_header', rawBody, others, secrets[version]);
    for (const bad of ['', 'x', gone.slice(1), `${gone}0`, gone.toUpperCase(), ` ${gone}`, `${gone},${gone}`])
      refuses('malformed_signature', rawBody, { ...headers, 'x-webhook-signature': bad }, secrets[version]);
    refuses('malformed_signature', rawBody, { ...headers, 'x-webhook-signature': [gone, gone] }, secrets[version]);
  });
}

for (const [name, { Webhook }] of Object.entries({ standardwebhooks, svix })) {
  test(`v2: ${name} takes what the worker sent, with the secret as it is, and v1 has nothing for it`, () => {
    for (const { headers, rawBody } of sent.v2) {
      assert.deepEqual(new Webhook(secrets.v2).verify(rawBody, headers), JSON.parse(rawBody.toString()));
      assert.equal(headers['webhook-id'], headers['x-webhook-id']);
      assert.throws(() => new Webhook(secrets.v1).verify(rawBody, headers));
      assert.throws(() => new Webhook(secrets.v2).verify(`${rawBody} `, headers));
    }
    for (const { headers } of sent.v1) assert.ok(!Object.keys(headers).some((each) => each.startsWith('webhook-')));
  });
}

test('v2: data say what the status check and the feed say', async () => {
  const [created, paid] = sent.v2.map((each) => JSON.parse(each.rawBody.toString())).sort((a, b) => (a.event < b.event ? -1 : 1));
  const charge = await world.client.transactions.get(paid.data.transactionId);
  const { data: feed } = await world.client.events.list({ limit: 100 });
  for (const webhook of [created, paid]) {
    const item = feed.find((each) => each.id === webhook.data.eventId);
    assert.equal(item?.event, webhook.event);
    assert.equal(item.transactionId, webhook.data.transactionId);
    assert.equal(webhook.data.environment, 'sandbox');
    assert.deepEqual(webhook.data.metadata, { order: '1042' });
  }
  assert.equal(created.data.status, 'waiting_payment');
  assert.equal(created.data.paidAmountCents, null);
  assert.equal(paid.data.status, 'paid');
  assert.equal(paid.data.paidAt, charge.paidAt);
  assert.equal(paid.data.paidAmountCents, charge.amountCents);
  assert.equal(paid.data.endToEndId, charge.transactionCode);
  assert.equal(paid.data.refundedAmountCents, 0);
});

test('v2: kinds that a channel names are told to it, and not to the others', async () => {
  const events = ['transaction.partially_refunded', 'payment.unapplied', 'payment.settled', 'store.changed'];
  const { secret } = await world.client.channels.create({ url: `${world.receiverUrl}/named`, events });
  const before = world.received.filter(({ path }) => path === '/v2').length;
  const { id } = await world.client.transactions.create(order);
  await world.client.sandbox.pay(id);
  await world.client.transactions.refund(id, { amountCents: 990 });
  const endToEndId = `E1823612020261121120${'5'.repeat(12)}`;
  const twice = await world.result('charge', 'confirm', '--id', id, '--end-to-end-id', endToEndId, '--amount-cents', '1990');
  assert.match(twice.stdout, /DUPLICATE_PAYMENT/);
  await world.pixledger('charge', 'return-payment', '--end-to-end-id', endToEndId);
  await world.pixledger('project', 'set', '--project', world.project.projectId, '--pix-key', 'outra@example.com');
  const webhooks = (await world.arrived('/named', 4)).map((each) => verifyWebhook(each.rawBody, each.headers, secret));
  const of = (event) => webhooks.find((each) => each.event === event).data;
  assert.deepEqual(webhooks.map(({ event }) => event).sort(), [...events].sort());
  assert.equal(of('transaction.partially_refunded').refundAmountCents, 990);
  assert.equal(of('transaction.partially_refunded').status, 'paid');
  assert.equal(of('payment.unapplied').payment.endToEndId, endToEndId);
  assert.equal(of('payment.settled').settlement, 'returned');
  assert.deepEqual(of('store.changed').changed, ['pixKey']);
  assert.equal(of('store.changed').after.pixKey, 'outr*********.com');
  // Created and paid alone.
  await world.arrived('/v2', before + 2);
  assert.equal(world.received.filter(({ path }) => path === '/v2').length, before + 2);
});

test('a test that the API asks for arrives, and during a rotation both secrets verify it', async () => {
  const { channels } = world.client;
  const first = await channels.create({ url: `${world.receiverUrl}/rotated`, events: ['transaction.failed'] });
  await channels.test(first.id);
  const [plain] = await world.arrived('/rotated', 1);
  const webhook = verifyWebhook(plain.rawBody, plain.headers, first.secret);
  assert.equal(webhook.event, 'webhook.test');
  assert.equal(webhook.data.channelId, first.id);
  assert.equal(webhook.delivery.sequence, undefined);

  const second = await channels.rotateSecret(first.id, { graceSeconds: 3600 });
  await channels.test(first.id);
  const [, both] = await world.arrived('/rotated', 2);
  assert.ok(both.headers['x-webhook-signature-next']);
  for (const secret of [first.secret, second.secret]) {
    assert.ok(verifyWebhook(both.rawBody, both.headers, secret));
    assert.ok(new svix.Webhook(secret).verify(both.rawBody, both.headers));
  }
  assert.equal(new Date(second.graceEndsAt) - new Date(second.updatedAt), 3_600_000);
  refuses('signature_mismatch', both.rawBody, both.headers, 'another');

  const third = await channels.rotateSecret(first.id, { graceSeconds: 7200 });
  await channels.test(first.id);
  const [, , all] = await world.arrived('/rotated', 3);
  for (const { secret } of [first, second, third]) {
    assert.ok(verifyWebhook(all.rawBody, all.headers, secret));
    assert.ok(new svix.Webhook(secret).verify(all.rawBody, all.headers));
  }

  const fourth = await channels.rotateSecret(first.id, { graceSeconds: 0 });
  await channels.test(first.id);
  const [, , , last] = await world.arrived('/rotated', 4);
  assert.ok(verifyWebhook(last.rawBody, last.headers, fourth.secret));
  for (const { secret } of [first, second, third]) refuses('signature_mismatch', last.rawBody, last.headers, secret);
});

test('v2: a webhook that was sent too long ago is refused, in both directions of the clock', () => {
  const { headers, rawBody } = sent.v2[0];
  const t = Number(/^t=(\d+)/.exec(headers['x-webhook-signature'])[1]);
  const at = (seconds, toleranceSeconds) => [rawBody, headers, secrets.v2, { toleranceSeconds, now: () => (t + seconds) * 1000 }];
  for (const offset of [-300, 0, 300]) assert.ok(verifyWebhook(...at(offset)));
  for (const offset of [-301, 301, 1e9]) refuses('timestamp_out_of_range', ...at(offset));
  assert.ok(verifyWebhook(...at(10, 10)));
  refuses('timestamp_out_of_range', ...at(11, 10));
  assert.ok(verifyWebhook(...at(0, 0)));
  assert.ok(verifyWebhook(...at(1e9, Infinity)));
  const later = headers['x-webhook-signature'].replace(`t=${t}`, `t=${t + 1}`);
  refuses('signature_mismatch', rawBody, { ...headers, 'x-webhook-signature': later }, secrets.v2);
  // Without the secret nothing is learned about clocks.
  refuses('signature_mismatch', rawBody, headers, 'another', { now: () => 0 });
});

test('v1: a v2 webhook cannot be dressed up as one', () => {
  const { headers, rawBody } = sent.v2[0];
  const [, t, mac] = /^t=(\d+),v1=(.*)$/.exec(headers['x-webhook-signature']);
  const body = Buffer.concat([Buffer.from(`${t}.`), rawBody]);
  assert.equal(hex(secrets.v2, body), mac);
  refuses('malformed_body', body, { 'x-webhook-signature': mac }, secrets.v2);
});

test('v1 can be ruled out once every channel has moved', () => {
  const { headers, rawBody } = sent.v1[0];
  refuses('unsupported_version', rawBody, headers, secrets.v1, { versions: ['v2'] });
  assert.ok(verifyWebhook(sent.v2[0].rawBody, sent.v2[0].headers, secrets.v2, { versions: ['v2'] }));
});

test('during a rotation the old and the new secret are both right, and others are not', () => {
  const t = nowSeconds();
  const headers = {
    'X-Webhook-Signature': v2Of('old', json, t)['x-webhook-signature'],
    'X-Webhook-Signature-Next': v2Of('new', json, t)['x-webhook-signature'],
  };
  for (const secret of ['old', 'new', ['another', 'new']]) assert.ok(verifyWebhook(json, headers, secret));
  refuses('signature_mismatch', json, headers, 'another');
  refuses('timestamp_out_of_range', json, headers, 'new', { now: () => (t + 400) * 1000 });
  const v1 = { 'x-webhook-signature': hex('old', json), 'x-webhook-signature-next': hex('new', json) };
  for (const secret of ['old', 'new']) assert.equal(verifyWebhook(json, v1, secret).delivery.version, 'v1');
  refuses('malformed_signature', json, { ...v1, 'x-webhook-signature-next': 'x' }, 'old');
  const between = { ...v1, 'X-Webhook-Signature-Between': `${hex('second', json)} ${hex('third', json)}` };
  for (const secret of ['old', 'second', 'third', 'new']) assert.ok(verifyWebhook(json, between, secret));
  refuses('signature_mismatch', json, between, 'another');
});

test('what is signed but no webhook is refused', () => {
  for (const body of ['', 'null', '[]', '{}', '"x"', '{"event":1}', '{"event":"x"', Buffer.from([0xff, 0xfe])])
    refuses('malformed_body', body, v2Of('s', body, nowSeconds()), 's');
  assert.ok(verifyWebhook(json, v2Of('s', json, nowSeconds()), 's'));
});

test('wrong use is told from a wrong webhook', () => {
  const headers = v2Of('s', json, nowSeconds());
  const wrong = [
    [JSON.parse(json), headers, 's'],
    [undefined, headers, 's'],
    [json, undefined, 's'],
    [json, headers, ''],
    [json, headers, undefined],
    [json, headers, []],
    [json, headers, 's', { toleranceSeconds: NaN }],
    [json, headers, 's', { toleranceSeconds: -1 }],
  ];
  for (const call of wrong) assert.throws(() => verifyWebhook(...call), TypeError);
});

test('both builds are one: the same names and the same classes', () => {
  assert.deepEqual(Object.keys(esm).sort(), Object.keys(cjs).sort());
  for (const name of Object.keys(esm)) assert.equal(esm[name], cjs[name]);
});
