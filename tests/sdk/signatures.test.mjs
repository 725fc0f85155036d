// Webhooks signed as docs/reference/webhooks.md says, verified by possible receivers: the programs in Python and PHP of
// docs/how-to/merchants/verify-webhooks.md, others' libraries for Standard Webhooks, and the SDK.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import * as standardwebhooks from 'standardwebhooks';
import * as svix from 'svix';
import { verifyWebhook } from '../../sdk/node/index.mjs';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const fixed = JSON.parse(read('tests/vectors/webhook_signatures.json'));
const { secret, nextSecret, body } = fixed;

// --- signing, by the contract ---

const macOf = (key, text, encoding) => createHmac('sha256', key).update(text).digest(encoding);
const v1 = (text, key) => macOf(key, text, 'hex');
const v2 = (text, key, t) => `t=${t},v1=${macOf(key, `${t}.${text}`, 'hex')}`;
const keyOf = (text) => Buffer.from(text.slice('whsec_'.length), 'base64');
const standardOne = (text, key, t, id) => `v1,${macOf(keyOf(key), `${id}.${t}.${text}`, 'base64')}`;
const standard = (text, keys, t, id = fixed.id) => ({
  'webhook-id': id,
  'webhook-timestamp': String(t),
  'webhook-signature': keys.map((key) => standardOne(text, key, t, id)).join(' '),
});
const nowSeconds = () => Math.floor(Date.now() / 1000);

test('these signatures are the ones that were made elsewhere', () => {
  const both = (sign) => ({ 'x-webhook-signature': sign(secret), 'x-webhook-signature-next': sign(nextSecret) });
  assert.deepEqual(both((key) => v1(body, key)), fixed.v1);
  assert.deepEqual(both((key) => v2(body, key, fixed.timestamp)), fixed.v2);
  assert.deepEqual(standard(body, [secret, nextSecret], fixed.timestamp), fixed.standard);
  for (const [headers, now] of [[fixed.v1, 0], [fixed.v2, fixed.timestamp + 300]])
    for (const key of [secret, nextSecret])
      assert.equal(verifyWebhook(body, headers, key, { now: () => 1000 * now }).event, 'transaction.paid');
});

for (const [name, { Webhook }] of Object.entries({ standardwebhooks, svix })) {
  test(`${name} takes what is signed by Standard Webhooks, with the secret as it is`, (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 1000 * fixed.timestamp });
    const verify = (text, headers, key = secret) => new Webhook(key).verify(text, headers);
    assert.deepEqual(verify(body, fixed.standard), JSON.parse(body));
    assert.deepEqual(verify(body, fixed.standard, nextSecret), JSON.parse(body));
    assert.deepEqual(verify(body, standard(body, [secret], fixed.timestamp)), JSON.parse(body));
    assert.throws(() => verify(`${body} `, fixed.standard));
    assert.throws(() => verify(body, { ...fixed.standard, 'webhook-id': 'other' }));
    assert.throws(() => verify(body, { ...fixed.standard, 'webhook-timestamp': String(fixed.timestamp + 1) }));
    assert.throws(() => verify(body, standard(body, [nextSecret], fixed.timestamp)));
    context.mock.timers.setTime(1000 * (fixed.timestamp + 301));
    assert.throws(() => verify(body, fixed.standard));
  });
}

// --- the document's receivers ---

const folder = mkdtempSync(join(tmpdir(), 'pixledger-receivers-'));
const receivers = {}; // by language and scheme: {port, printed, stop}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function start(program, parametersFor, key) {
  const port = await freePort();
  const env = { ...process.env, WEBHOOK_SECRET: key, PYTHONDONTWRITEBYTECODE: '1' };
  delete env.SHOP_IS_A_TRIAL;
  const child = spawn(program, parametersFor(port), { cwd: folder, env });
  const receiver = { port, printed: '', stop: () => child.kill() };
  process.once('exit', receiver.stop);
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part) => {
      receiver.printed += part;
    });
  const isThere = () =>
    new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.unref();
    });
  while (!(await isThere())) {
    assert.equal(child.exitCode, null, receiver.printed);
    await setTimeout(20);
  }
  return receiver;
}

// PHP as its own settings have it: it shows errors.
const commands = {
  python: (prefix) => ['python3', (port) => [`${prefix}receiver.py`, String(port)]],
  php: (prefix) => ['php', (port) => ['-d', 'display_errors=1', '-S', `127.0.0.1:${port}`, `${prefix}receiver.php`]],
};
const startReceiver = (language, prefix, key) => start(...commands[language](prefix), key);

before(async () => {
  for (const [, name, text] of read('docs/how-to/merchants/verify-webhooks.md').matchAll(/^<!-- file: (\S+) -->\n```[a-z]+\n(.*?)^```$/gms)) {
    writeFileSync(join(folder, name), text);
    const standardText = text.replaceAll(/\bverify_webhook(?=\(|$)/gm, 'verify_standard_webhook');
    if (name.startsWith('receiver.')) writeFileSync(join(folder, `standard_${name}`), standardText);
  }
  for (const prefix of ['', 'standard_']) {
    receivers[`${prefix}python`] = await startReceiver('python', prefix, secret);
    receivers[`${prefix}php`] = await startReceiver('php', prefix, secret);
  }
});
after(() => {
  for (const { stop } of Object.values(receivers)) stop();
  rmSync(folder, { recursive: true });
});

const send = ({ port }, text, headers) =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } };
    const request = http.request(options, (response) => response.resume().on('end', () => resolve(response.statusCode)));
    request.once('error', reject).end(text);
  });

const other = 'whsec_0000000000000000000000000000000000000000000000000000000000000000';
const own = (signature, next) => ({ 'X-Webhook-Signature': signature, ...(next && { 'X-Webhook-Signature-Next': next }) });
const between = (sign, right) => {
  const wrong = sign(body, other, seconds(0));
  return { ...own(wrong, wrong), 'X-Webhook-Signature-Between': `${wrong} ${right}` };
};
const seconds = (from) => nowSeconds() + from;
// [sentence, body, headers]; times are of the moment at which it is sent.
const good = () => [
  ['v1', body, own(v1(body, secret))],
  ['v2', body, own(v2(body, secret, seconds(0)))],
  ['v2, almost too late', body, own(v2(body, secret, seconds(-280)))],
  ['v2, of a clock that is fast', body, own(v2(body, secret, seconds(280)))],
  ['v1 with the next secret', body, own(v1(body, other), v1(body, secret))],
  ['v2 with the next secret', body, own(v2(body, other, seconds(0)), v2(body, secret, seconds(0)))],
  ['v1 with a secret in between', body, between(v1, v1(body, secret))],
  ['v2 with a secret in between', body, between(v2, v2(body, secret, seconds(0)))],
];
const bad = () => {
  const t = seconds(0);
  const dressedUp = `${t}.${body}`;
  return [
    ['no signature', body, {}],
    ['an empty one', body, own('')],
    ['another secret', body, own(v2(body, other, t))],
    ['another secret, v1', body, own(v1(body, other))],
    ['another body', body.replace('1990', '1'), own(v2(body, secret, t))],
    ['another body, v1', `${body} `, own(v1(body, secret))],
    ['another time', body, own(v2(body, secret, t).replace(/t=[0-9]+/, `t=${t + 1}`))],
    ['too old', body, own(v2(body, secret, t - 310))],
    ['too new', body, own(v2(body, secret, t + 310))],
    ['too old with the next secret', body, own(v2(body, other, t), v2(body, secret, t - 310))],
    ['capitals', body, own(v1(body, secret).toUpperCase())],
    ['a part of it', body, own(v1(body, secret).slice(0, 40))],
    ['bytes that are no text', body, own('é'.repeat(64))],
    ['v2 dressed up as v1', dressedUp, own(v1(dressedUp, secret))],
    ['signed, but no webhook', '[]', own(v2('[]', secret, t))],
    ['signed, but no JSON', '{', own(v2('{', secret, t))],
  ];
};
const goodStandard = () => [
  ['one signature', body, standard(body, [secret], seconds(0))],
  ['two of a rotation', body, standard(body, [other, secret], seconds(0))],
  ['almost too late', body, standard(body, [secret], seconds(-280))],
];
const badStandard = () => {
  const t = seconds(0);
  const right = standard(body, [secret], t);
  return [
    ['no headers', body, {}],
    ['another secret', body, standard(body, [other], t)],
    ['another body', `${body} `, right],
    ['another id', body, { ...right, 'webhook-id': 'other' }],
    ['another time', body, { ...right, 'webhook-timestamp': String(t + 1) }],
    ['too old', body, standard(body, [secret], t - 310)],
    ['too new', body, standard(body, [secret], t + 310)],
    ['no time', body, standard(body, [secret], '')],
    ['without its version', body, { ...right, 'webhook-signature': right['webhook-signature'].slice(3) }],
    ['bytes that are no text', body, { ...right, 'webhook-signature': 'v1,é' }],
    ['the headers of pixledger alone', body, own(v2(body, secret, t))],
    ['signed, but no webhook', '7', standard('7', [secret], t)],
  ];
};

// Anyone can sign with an empty key.
for (const language of ['python', 'php'])
  test(`${language}: the receiver that the document shows takes nothing without a secret`, async () => {
    const cases = [['', '', own(v1(body, ''))], ['standard_', 'whsec_', standard(body, ['whsec_'], seconds(0))]];
    for (const [prefix, key, headers] of cases) {
      const receiver = await startReceiver(language, prefix, key);
      const status = await send(receiver, body, headers);
      receiver.stop();
      assert.equal(status, 401, receiver.printed);
    }
  });

test('php: the page that the document shows answers 500 if it fails, though PHP shows errors', async () => {
  const receiver = await startReceiver('php', '', undefined);
  assert.equal(await send(receiver, body, own(v1(body, secret))), 500);
  receiver.stop();
});

for (const language of ['python', 'php']) {
  for (const [name, accepted, refused] of [[language, good, bad], [`standard_${language}`, goodStandard, badStandard]]) {
    test(`${name}: the receiver that the document shows takes what is right, and nothing else`, async () => {
      const receiver = receivers[name];
      for (const [sentence, text, headers] of accepted())
        assert.equal(await send(receiver, text, headers), 200, `${sentence}\n${receiver.printed}`);
      // What its threads print, and what it logs, may share a line.
      const told = () => receiver.printed.match(/transaction\.paid c0k3v1x2y0000q7w8e9r0t1y2/g)?.length ?? 0;
      const end = Date.now() + 60_000;
      while (told() < accepted().length) {
        assert.ok(Date.now() < end, receiver.printed);
        await setTimeout(20);
      }
      for (const [sentence, text, headers] of refused())
        assert.equal(await send(receiver, text, headers), 401, `${sentence}\n${receiver.printed}`);
      assert.equal(told(), accepted().length);
    });
  }
  test(`${language}: the receiver that the document shows delivers what money paid, and nothing that the sandbox did`, async () => {
    const receiver = receivers[language];
    const paid = (externalId, isSandbox) => JSON.stringify({ event: 'transaction.paid', data: { transactionId: 'c1', externalId, isSandbox } });
    for (const text of [paid('order-sandbox', true), paid('order-live', false), paid('order-unknown', undefined)])
      assert.equal(await send(receiver, text, own(v2(text, secret, nowSeconds()))), 200, receiver.printed);
    const end = Date.now() + 60_000;
    while (!receiver.printed.includes('order-sandbox') || !receiver.printed.includes('order-live') || !receiver.printed.includes('order-unknown')) {
      assert.ok(Date.now() < end, receiver.printed);
      await setTimeout(20);
    }
    assert.match(receiver.printed, /deliver order-live/);
    assert.match(receiver.printed, /ignore order-sandbox/);
    assert.match(receiver.printed, /ignore order-unknown/);
  });
}
