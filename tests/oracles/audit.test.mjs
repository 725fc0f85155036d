// A checker that was written from docs/reference/event-format.md and events.md alone judges what a real server signs
// and proves, and must say the same as `pixledger check-proof`. Environment:
//   PIXLEDGER_BIN_DIR  where pixledger and pixledger-server are (required)
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Service } from './api/service.mjs';

const run = promisify(execFile);
const script = fileURLToPath(new URL('audit.py', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pixledger-audit-'));
const service = new Service();
const receipts = {}; // whole answers of the API, by what became of the charge
let project;
let publicKey;
let files = 0;

function fileOf(content) {
  const path = join(folder, String((files += 1)));
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function call(method, path, body, key = project.testKey) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const reply = await service.send({ method, path, headers, body: body && JSON.stringify(body) });
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.body}`);
  return JSON.parse(reply.body);
}

// Of what a program printed, as text or beside other things.
const exitOf = async (promise) => {
  const result = await promise.catch((error) => error);
  return typeof result === 'string' ? { code: 0, stdout: result } : { code: result.code ?? 0, stdout: result.stdout };
};

// What both checkers say: the facts, undefined where they refuse. They must agree.
async function judge(state, older, proof) {
  const [path, olderPath, proofPath] = [state, older, proof].map((each) => each && fileOf(each));
  const more = [olderPath, proofPath].filter(Boolean);
  const ours = await exitOf(service.print('check-proof', path, '--public-key', publicKey, '--json',
    ...(olderPath ? ['--after', olderPath] : []), ...(proofPath ? ['--consistency', proofPath] : [])));
  const theirs = await exitOf(run('python3', [script, publicKey, path, ...more]));
  assert.ok([0, 1].includes(theirs.code), theirs.stdout);
  assert.equal(theirs.code, ours.code, `${JSON.stringify(state).slice(0, 200)}: ${theirs.stdout}${ours.stdout}`);
  if (theirs.code !== 0) return undefined;
  const { valid, ...facts } = JSON.parse(ours.stdout);
  assert.ok(valid);
  assert.deepEqual(JSON.parse(theirs.stdout), facts);
  return facts;
}

const copyOf = (value) => JSON.parse(JSON.stringify(value));
// A copy in which something else stands.
function changed(answer, change) {
  const copy = copyOf(answer);
  change(copy.data);
  return copy;
}
const flipped = (text, at) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);

before(async () => {
  await service.start();
  project = await service.pixledger('project', 'create', '--name', 'Loja', '--pix-key', 'loja@example.com');
  ({ publicKey } = await service.pixledger('checkpoint', '--public-key'));
  const create = async (key) => {
    const { data } = await call('POST', '/api/v1/transactions', {
      customer: { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' },
      payment: { amountCents: 1990, product: 'Camiseta — “azul”' },
      originDomain: 'loja.example.com',
      customerIp: '203.0.113.9',
      metadata: { pedido: '1042', 'canal.venda': 'loja — “física”' },
    }, key);
    return data.id;
  };
  const keep = async (name, id, key) => {
    receipts[name] = await call('GET', `/api/v1/transactions/${id}/receipt`, undefined, key);
  };
  const sandbox = (id, what) => call('POST', `/api/sandbox/transactions/${id}/${what}`);
  const refund = (id, body) => call('POST', `/api/v1/transactions/${id}/refund`, body);
  for (const [name, ...steps] of [
    ['waiting_payment'],
    ['paid', (id) => sandbox(id, 'pay')],
    ['expired', (id) => sandbox(id, 'expire')],
    ['failed', (id) => sandbox(id, 'fail')],
    ['cancelled', (id) => call('POST', `/api/v1/transactions/${id}/cancel`)],
    ['refunded', (id) => sandbox(id, 'pay'), (id) => refund(id, { amountCents: 90, reason: 'troca' }), (id) => refund(id)],
  ]) {
    const id = await create();
    for (const step of steps) await step(id);
    await keep(name, id);
  }
  const live = await create(project.liveKey);
  const payment = (n) => `E18236120202603011200audit00000${n}`.slice(0, 32);
  const charge = (...options) => exitOf(service.print('charge', ...options, '--json'));
  await charge('processing', '--id', live);
  await charge('confirm', '--id', live, '--end-to-end-id', payment(1), '--amount-cents', '1991');
  await charge('accept-payment', '--end-to-end-id', payment(1));
  await charge('confirm', '--id', live, '--end-to-end-id', payment(2), '--amount-cents', '1990');
  await charge('return-payment', '--end-to-end-id', payment(2), '--reason', 'dobrado');
  await keep('live', live, project.liveKey);
  const double = await create(project.liveKey);
  for (const [n, cents] of [[3, '990'], [4, '1000']])
    await charge('confirm', '--id', double, '--end-to-end-id', payment(n), '--amount-cents', cents);
  await charge('accept-payment', '--end-to-end-id', payment(3));
  await charge('accept-payment', '--add', '--end-to-end-id', payment(4));
  await keep('double', double, project.liveKey);
});
after(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

test('every kind of event is read as the server shows it', async () => {
  const seen = new Set();
  for (const [name, receipt] of Object.entries(receipts)) {
    const facts = await judge(receipt);
    assert.ok(facts, name);
    assert.equal(facts.status, ['live', 'double'].includes(name) ? 'paid' : name);
    assert.equal(facts.streamLength, receipt.data.events.length);
    for (const { event } of receipt.data.events) seen.add(event.type);
  }
  assert.equal(seen.size, 11, [...seen].join(' '));
  assert.ok(await judge((await service.print('prove', '--id', receipts.paid.data.transactionId))));
});

test('a receipt in which anything was changed is refused', async () => {
  const { refunded } = receipts;
  assert.equal(refunded.data.events.length, 4);
  for (let n = 0; n < 4; n += 1) {
    assert.equal(await judge(changed(refunded, (data) => data.events.splice(n, 1))), undefined);
    for (const field of ['leaf', 'personal']) {
      const text = refunded.data.events[n][field];
      if (text) assert.equal(await judge(changed(refunded, (data) => { data.events[n][field] = flipped(text, 40); })), undefined);
    }
    const [hash] = refunded.data.events[n].proof;
    assert.equal(await judge(changed(refunded, (data) => { data.events[n].proof[0] = flipped(hash, 7); })), undefined);
    assert.equal(await judge(changed(refunded, (data) => { data.events[n].event.version += 1; })), undefined);
    assert.equal(await judge(changed(refunded, (data) => { data.events[n].event.data.added = 1; })), undefined);
  }
  for (const change of [
    (data) => { data.events[1].event.data.amountCents += 1; },
    (data) => { data.events = []; },
    (data) => { data.transactionId = receipts.paid.data.transactionId; },
    (data) => { data.checkpoint = receipts.paid.data.checkpoint; },
    (data) => { data.checkpoint = data.checkpoint.replace(' 4\n', ' 3\n'); },
    (data) => { data.note = 'paid'; },
  ])
    assert.equal(await judge(changed(refunded, change)), undefined, String(change));
  const erased = await judge(changed(receipts.paid, (data) => {
    data.events[0].personal = null;
    data.events[0].event.data.customerIp = null;
    delete data.events[0].event.data.metadata;
  }));
  assert.equal(erased.withoutPersonalData, 1);
});

test('a receipt without its refund is refused under any checkpoint of the same tree', async () => {
  const { data } = await call('GET', '/api/v1/ledger/checkpoint');
  const { transactionId } = receipts.refunded.data;
  const newest = await call('GET', `/api/v1/transactions/${transactionId}/receipt`);
  assert.ok(await judge(newest));
  for (const checkpoint of [newest.data.checkpoint, data.checkpoint]) {
    const cut = changed(newest, (receipt) => {
      receipt.events.pop();
      receipt.checkpoint = checkpoint;
    });
    assert.equal(await judge(cut), undefined);
  }
});

test('receipts and checkpoints of one history continue each other', async () => {
  const consistency = (from, to) => call('GET', `/api/v1/ledger/consistency?from=${from}&to=${to}`);
  const sizeOf = (answer) => Number(answer.data.checkpoint.split('\n')[1]);
  const checkpoint = await call('GET', '/api/v1/ledger/checkpoint');
  const states = [receipts.waiting_payment, receipts.paid, receipts.refunded, receipts.live, checkpoint];
  assert.ok((await judge(await service.print('checkpoint'), checkpoint)).size >= sizeOf(checkpoint));
  for (const [i, older] of states.entries()) {
    for (const newer of states.slice(i + 1)) {
      const [from, to] = [older, newer].map(sizeOf);
      if (from === to) continue;
      const proof = await consistency(from, to);
      assert.equal((await judge(newer, older, proof)).continues, from);
      assert.equal(await judge(older, newer, proof), undefined);
      assert.equal(await judge(newer, older), undefined);
      assert.equal(await judge(newer, older, await consistency(from - 1, to)), undefined);
      const [hash] = proof.data.proof;
      assert.equal(await judge(newer, older, changed(proof, (data) => { data.proof[0] = flipped(hash, 9); })), undefined);
    }
  }
});

test('checkpoints are taken as the command and the API give them, and of nobody else', async () => {
  const note = await service.print('checkpoint');
  const answer = await call('GET', '/api/v1/ledger/checkpoint');
  for (const each of [note, await service.pixledger('checkpoint'), answer]) assert.ok(await judge(each));
  for (const each of [flipped(note, 12), note.slice(0, -1), `${note}x\n`, changed(answer, (data) => { data.size += 1; })])
    assert.equal(await judge(each), undefined);
  for (const wrong of ['', 'x', publicKey.slice(0, -4)])
    assert.equal((await exitOf(run('python3', [script, wrong, fileOf(note)]))).code, 2);
});
