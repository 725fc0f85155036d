// Receipts of a real server, checked by the SDK and by `pixledger check-proof`, which share no code.
import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PixledgerClient, verifyReceipt } from '../../sdk/node/index.mjs';
import { World, order } from './world.mjs';

const { readEvent } = createRequire(import.meta.url)('../../sdk/node/lib/charge-events.cjs');
let world;
let publicKey;
let paid; // the receipt of a charge that was paid and partly refunded
const lives = {}; // receipts by what became of the charge
const digestBytes = 32;
// One change of so many is tried, unless all of them are asked for.
const stride = process.env.PIXLEDGER_EVERY_CHANGE ? 1 : 13;

const copyOf = (value) => JSON.parse(JSON.stringify(value));
const reasonOf = (receipt, options) => verifyReceipt(receipt, publicKey, options).reason ?? 'ok';

async function checkProof(text, key = publicKey) {
  const file = join(world.folder, 'receipt.json');
  writeFileSync(file, text);
  const { code, stdout } = await world.result('check-proof', file, '--public-key', key, '--json');
  return { code, ...JSON.parse(stdout || '{}') };
}

before(async () => {
  world = await World.open();
  ({ publicKey } = await world.pixledger('checkpoint', '--public-key'));
  const live = new PixledgerClient({ apiKey: world.project.liveKey, baseUrl: world.baseUrl });
  const endToEndId = (n) => `E12345678202611211205abcdefghi${String(n).padStart(2, '0')}`;
  let payments = 0;
  const confirm = (id, amount = '1990') =>
    world
      .pixledger('charge', 'confirm', '--id', id, '--end-to-end-id', endToEndId(payments++), '--amount-cents', amount)
      .catch((error) => {
        assert.equal(error.code, 1); // flagged
        return JSON.parse(error.stdout);
      });

  const make = async (name, client, act) => {
    const metadata = name === 'paid' ? { 'loja.canal': 'balcão “1”', __proto: '', 42: '4711' } : undefined;
    const { id } = await client.transactions.create({ ...order, customerIp: '203.0.113.9', externalId: name, metadata });
    await act(id);
    lives[name] = await client.transactions.receipt(id);
  };
  const sandbox = world.client;
  await make('waiting_payment', sandbox, () => {});
  await make('paid', sandbox, async (id) => {
    await sandbox.sandbox.pay(id);
    await sandbox.transactions.refund(id, { amountCents: 500, reason: 'troca — “tamanho”' });
  });
  await make('refunded', sandbox, async (id) => {
    await sandbox.sandbox.pay(id);
    await sandbox.transactions.refund(id, { amountCents: 500 });
    await sandbox.transactions.refund(id);
  });
  await make('expired', sandbox, (id) => sandbox.sandbox.expire(id));
  await make('failed', sandbox, (id) => sandbox.sandbox.fail(id));
  await make('cancelled', sandbox, (id) => sandbox.transactions.cancel(id));
  await make('processing', live, (id) => world.pixledger('charge', 'processing', '--id', id));
  await make('paid by hand', live, async (id) => {
    const { flag } = await confirm(id, '1991');
    assert.equal(flag, 'AMOUNT_MISMATCH');
    await world.pixledger('charge', 'accept-payment', '--end-to-end-id', endToEndId(payments - 1));
    await confirm(id);
    await world.pixledger('charge', 'return-payment', '--end-to-end-id', endToEndId(payments - 1), '--reason', 'dobrado');
  });
  await make('paid by two', live, async (id) => {
    await confirm(id, '990');
    await confirm(id, '1000');
    await world.pixledger('charge', 'accept-payment', '--end-to-end-id', endToEndId(payments - 2));
    await world.pixledger('charge', 'accept-payment', '--add', '--end-to-end-id', endToEndId(payments - 1));
    await live.transactions.refund(id, { amountCents: 990 });
    assert.equal((await live.transactions.get(id)).status, 'paid');
    await live.transactions.refund(id);
    assert.equal((await live.transactions.get(id)).status, 'refunded');
  });
  await make('failed by hand', live, (id) => world.pixledger('charge', 'fail', '--id', id, '--reason', 'recusado'));
  await make('confirmed', live, (id) => confirm(id));
  paid = lives.paid;
});
after(() => world.close());

test('both checkers say the same of every kind of event', async () => {
  const seen = new Set();
  for (const [name, receipt] of Object.entries(lives)) {
    const verified = verifyReceipt(receipt, publicKey, { transactionId: receipt.transactionId });
    assert.ok(verified.ok, `${name}: ${verified.message}`);
    assert.deepEqual(verified.events, receipt.events.map(({ event }) => event));
    const checked = await checkProof(JSON.stringify(receipt));
    assert.equal(checked.code, 0);
    assert.equal(verified.withoutPersonalData, 0, name);
    for (const field of ['transactionId', 'status', 'withoutPersonalData', 'origin', 'size', 'rootHash'])
      assert.equal(verified[field], checked[field], `${name}: ${field}`);
    assert.equal(verified.events.length, checked.events);
    assert.deepEqual([verified.streamLength, checked.streamLength], [checked.events, checked.events], name);
    assert.equal(verified.status, { 'paid by hand': 'paid', 'paid by two': 'refunded', 'failed by hand': 'failed', confirmed: 'paid' }[name] ?? name);
    for (const { type } of verified.events) seen.add(type);
  }
  assert.equal(seen.size, 11, [...seen].join(' '));
});

test('what prove prints and a whole answer are taken, as text, bytes and parsed', async () => {
  const proof = (await world.result('prove', '--id', paid.transactionId)).stdout;
  for (const each of [proof, Buffer.from(proof), JSON.parse(proof), `{"success":true,"data":${proof}}`, { success: true, data: paid }])
    assert.equal(reasonOf(each), 'ok');
  for (const each of [JSON.stringify(paid, null, 2), `{"data":${proof},"success":true}`]) {
    assert.equal(reasonOf(each), 'ok');
    assert.equal((await checkProof(each)).code, 0);
  }
});

test('the key is taken as a line, as bytes and as an object, and others refuse', async () => {
  const bytes = Buffer.from(publicKey.split('+').slice(2).join('+'), 'base64').subarray(1);
  const object = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' });
  for (const key of [`${publicKey}\n`, bytes, new Uint8Array(bytes), object]) assert.ok(verifyReceipt(paid, key).ok);
  const { publicKey: other, privateKey } = generateKeyPairSync('ed25519');
  assert.equal(verifyReceipt(paid, other).reason, 'not_signed');
  // The same key under another ledger's name.
  const name = publicKey.split('+')[0].replace(/\/1$/, '/2');
  assert.equal(verifyReceipt(paid, lineOf(name, bytes)).reason, 'not_signed');
  const { publicKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  for (const wrong of ['', 'x', publicKey.replace(/\+[0-9a-f]/, '+x'), publicKey.slice(0, -4), bytes.subarray(1), privateKey, rsa, null, undefined, {}])
    assert.throws(() => verifyReceipt(paid, wrong), TypeError);
  for (const wrong of [undefined, null, 7]) assert.throws(() => verifyReceipt(wrong, publicKey), TypeError);
});

test('a good receipt of another transaction is refused if the caller says which one is meant', () => {
  const { transactionId } = lives.refunded;
  assert.equal(reasonOf(paid, { transactionId }), 'other_transaction');
  assert.equal(reasonOf({ ...paid, transactionId }, { transactionId }), 'wrong_event');
  assert.equal(reasonOf({ ...paid, events: lives.refunded.events }), 'not_included');
});

// Every change of one value, as [what it is, the changed receipt].
function* changesOf(receipt) {
  const paths = [];
  const walk = (value, path) => {
    paths.push(path);
    if (value !== null && typeof value === 'object')
      for (const key of Object.keys(value)) walk(value[key], [...path, key]);
  };
  walk(receipt, []);
  const changed = (path, change) => {
    const copy = { receipt: copyOf(receipt) };
    const parent = ['receipt', ...path].slice(0, -1).reduce((each, key) => each[key], copy);
    change(parent, ['receipt', ...path].at(-1));
    return copy.receipt ?? {};
  };
  const others = (value) => {
    if (typeof value === 'boolean') return [!value, null, 1];
    if (typeof value === 'number') return [value + 1, value - 1, -value, String(value), null, value + 0.5, 2 ** 53];
    if (typeof value === 'string') return [`${value}x`, `${value} `, value.slice(1), '', null, 7];
    if (value === null) return ['', 'x', 0, {}, false];
    if (Array.isArray(value)) return [[...value, value.at(-1) ?? 'x'], value.slice(1), value.slice(0, -1), [...value].reverse(), null, {}];
    return [{ ...value, surprise: 1 }, { ...value, ['__proto__']: 1 }, {}, null, []];
  };
  for (const path of paths) {
    const name = path.join('.');
    const value = path.reduce((each, key) => each[key], receipt);
    yield [`${name} is gone`, changed(path, (parent, key) => (Array.isArray(parent) ? parent.splice(key, 1) : delete parent[key]))];
    for (const other of others(value)) {
      if (JSON.stringify(other) === JSON.stringify(value)) continue; // one hash, reversed
      yield [`${name} is ${JSON.stringify(other)}`, changed(path, (parent, key) => { parent[key] = other; })];
    }
  }
}

test('every field that is added, taken away or changed is refused, by both checkers alike', async () => {
  let n = 0;
  for (const whole of [paid, { success: true, data: paid }]) {
    for (const [what, receipt] of changesOf(whole)) {
      const { ok } = verifyReceipt(receipt, publicKey);
      assert.equal(ok, false, what);
      if (n++ % (5 * stride) === 0) assert.equal((await checkProof(JSON.stringify(receipt))).code, 1, what);
    }
  }
  assert.ok(n > 400, String(n));
});

test('what was added, taken away or changed is named, by both checkers alike', async () => {
  const [created, payment] = paid.events;
  const withCreated = (event) => ({ ...paid, events: [event, ...paid.events.slice(1)] });
  const { leaf, ...leafless } = created;
  const no = 'It is not a receipt: ';
  const otherwise = ' is not what the bytes of the event say';
  for (const [receipt, sentence] of [
    [{ ...paid, isPaid: true }, `${no}isPaid is no field of a receipt`],
    [{ ...paid, '\u009b2J': 1 }, `${no}… is no field of a receipt`],
    [{ success: true, data: paid, message: 'ok' }, `${no}message is no field of a receipt`],
    [{ success: true, data: withCreated({ ...created, note: 1 }) }, `${no}data.events[0].note is no field of a receipt`],
    [withCreated(leafless), `${no}events[0].leaf is missing`],
    [withCreated({ ...created, event: { ...created.event, data: { ...created.event.data, fee: 1 } } }), `events[0].event.data.fee${otherwise}`],
    [withCreated({ ...created, event: { ...created.event, actor: 'me' } }), `events[0].event.actor${otherwise}`],
    [{ ...paid, events: [created, { ...payment, event: { ...payment.event, data: {} } }, ...paid.events.slice(2)] }, `events[1].event.data.endToEndId${otherwise}`],
  ]) {
    assert.equal(verifyReceipt(receipt, publicKey).message, `${sentence}.`);
    const { problem } = await checkProof(JSON.stringify(receipt));
    assert.equal(`${problem[0].toUpperCase()}${problem.slice(1)}`, `${sentence[0].toUpperCase()}${sentence.slice(1)}`);
  }
});

test('every character of the text that is changed is refused', () => {
  const text = JSON.stringify(paid);
  for (let at = 0; at < text.length; at += stride) {
    const changed = text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
    assert.equal(verifyReceipt(changed, publicKey).ok, false, `${at}: ${changed.slice(at - 20, at + 20)}`);
  }
});

test('a receipt without its newest events is refused, whichever checkpoint is put under it, by both checkers alike', async () => {
  const cut = { ...paid, events: paid.events.slice(0, -1) };
  const plain = (await world.pixledger('checkpoint', '--json')).checkpoint;
  for (const [checkpoint, sentence] of [
    [paid.checkpoint, "It has 2 of the charge's events, and its checkpoint was signed for 3."],
    [lives.refunded.checkpoint, undefined],
    [plain, undefined],
  ]) {
    const receipt = { ...cut, checkpoint };
    const { reason, message } = verifyReceipt(receipt, publicKey);
    const { code, problem } = await checkProof(JSON.stringify(receipt));
    assert.equal(code, 1);
    if (!sentence) continue; // under another tree
    assert.equal(reason, 'incomplete');
    assert.equal(message, sentence);
    assert.equal(`${problem}.`, message.replace('It', 'it'));
  }
  // Of the same tree, signed for another purpose, and as 0.1.0 signed them.
  const leaves = paid.events.slice(0, 1).map(partsOf).map(({ envelope, personal }) => leafOf(envelope, personal));
  const { transactionId } = paid;
  for (const [stated, expected] of Object.entries({
    [`stream charge-${transactionId} 1\n`]: 'ok',
    [`other\nstream charge-${transactionId} 1\n`]: 'ok',
    '': 'ok',
    'other\n': 'ok',
    [`stream charge-${transactionId} 2\n`]: 'incomplete',
    'stream charge-c12345678 1\n': 'incomplete',
    'stream - 0\n': 'incomplete',
    'stream - 1\n': 'not_signed',
    'stream\u00a0\n': 'ok',
    [`stream charge-${transactionId} 01\n`]: 'not_signed',
    [`stream charge-${transactionId} 1\nstream charge-${transactionId} 1\n`]: 'not_signed',
  })) {
    const receipt = forge(transactionId, leaves, stated);
    const { ok, reason, message, streamLength } = verifyReceipt(receipt, forgerLine);
    assert.equal(ok ? 'ok' : reason, expected, stated);
    const checked = await checkProof(JSON.stringify(receipt), forgerLine);
    assert.equal(checked.code, ok ? 0 : 1, stated);
    if (ok) assert.equal(streamLength, checked.streamLength);
    if (reason === 'incomplete') assert.equal(`${checked.problem}.`, message.replace('It', 'it'));
  }
});

test('every byte that is signed or hashed counts', () => {
  const flipped = function* (text) {
    const bytes = Buffer.from(text, 'base64');
    for (let at = 0; at < bytes.length; at += stride) {
      bytes[at] ^= 1 << (at & 7);
      yield bytes.toString('base64');
      bytes[at] ^= 1 << (at & 7);
    }
  };
  paid.events.forEach((event, i) => {
    const refused = (changed, ...reasons) => {
      const events = paid.events.with(i, { ...event, ...changed });
      assert.ok(reasons.includes(reasonOf({ ...paid, events })));
    };
    for (const leaf of flipped(event.leaf)) refused({ leaf }, 'not_included');
    if (event.personal) for (const personal of flipped(event.personal)) refused({ personal }, 'personal_data_differ');
    event.proof.forEach((hash, k) => {
      for (const other of flipped(hash)) refused({ proof: event.proof.with(k, other) }, 'not_included');
    });
  });
  const end = paid.checkpoint.lastIndexOf(' ') + 1;
  for (const signature of flipped(paid.checkpoint.slice(end, -1)))
    assert.equal(reasonOf({ ...paid, checkpoint: `${paid.checkpoint.slice(0, end)}${signature}\n` }), 'not_signed');
});

test('a name that comes twice is refused where it can be seen', async () => {
  const text = JSON.stringify(paid);
  for (const twice of [
    text.replace('{', '{"transactionId":"c12345678",'),
    text.replace('"event":{', '"event":{"version":1,'),
    text.replace('"event":{', '"event":{"\\u0076ersion":1,'),
    text.replace('{', '{"other":{"a":[{"b":1,"b":1}]},'),
  ]) {
    assert.equal(reasonOf(twice), 'malformed_receipt');
    assert.equal((await checkProof(twice)).code, 1);
  }
});

test('what is no receipt is refused', async () => {
  const texts = ['', '{', '[]', '{}', 'null', '7', '{"data":{}}', '{"data":null}', '{"transactionId":"c12345678","checkpoint":"","events":[]}'];
  for (const text of texts) {
    assert.equal(verifyReceipt(text, publicKey).ok, false, text);
    assert.equal((await checkProof(text)).code, 1, text);
  }
  const circle = {};
  circle.circle = circle;
  for (const each of [Buffer.from([0xff]), circle, { events: 1n }, [], '['.repeat(1e6), `{"a":"${'\\\\'.repeat(1e6)}`])
    assert.equal(reasonOf(each), 'malformed_receipt');
});

test('signatures of others beside the ledger’s are passed over', async () => {
  const other = paid.checkpoint.split('\n').at(-2).replace('/1 ', '/2 ');
  const added = { ...paid, checkpoint: `${paid.checkpoint}${other}\n` };
  assert.equal(reasonOf(added), 'ok');
  assert.equal((await checkProof(JSON.stringify(added))).code, 0);
  for (const checkpoint of [`${paid.checkpoint}\n`, `${paid.checkpoint}x\n`, paid.checkpoint.slice(0, -1), `x${paid.checkpoint}`, `${paid.checkpoint}${paid.checkpoint}`]) {
    assert.equal(reasonOf({ ...paid, checkpoint }), 'not_signed');
    assert.equal((await checkProof(JSON.stringify({ ...paid, checkpoint }))).code, 1);
  }
});

// --- a ledger that signs rubbish ---

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const forger = generateKeyPairSync('ed25519');
const forgerBytes = Buffer.from(forger.publicKey.export({ format: 'jwk' }).x, 'base64url');
const algorithm = Buffer.from([1]);
const keyIdOf = (name, bytes) => sha256(Buffer.from(`${name}\n`), algorithm, bytes).subarray(0, 4);
const lineOf = (name, bytes) =>
  `${name}+${keyIdOf(name, bytes).toString('hex')}+${Buffer.concat([algorithm, bytes]).toString('base64')}`;
const forgedOrigin = `pixledger/${'0'.repeat(32)}/1`;
const forgerLine = lineOf(forgedOrigin, forgerBytes);

// A receipt of the given leaves, which are all of the ledger, with more lines under its checkpoint; events that mean nothing show what the first means.
function forge(transactionId, leaves, stated = '') {
  const hashes = leaves.map(({ leaf }) => sha256(Buffer.from([0]), leaf));
  assert.ok(hashes.length <= 2);
  const root = hashes.length === 1 ? hashes[0] : sha256(Buffer.from([1]), ...hashes);
  const text = `${forgedOrigin}\n${leaves.length}\n${root.toString('base64')}\n${stated}`;
  const signature = Buffer.concat([keyIdOf(forgedOrigin, forgerBytes), sign(null, Buffer.from(text), forger.privateKey)]);
  const events = leaves.map(({ leaf, personal }, i) => {
    let event = {};
    try {
      event = readEvent(i + 1, leaf.subarray(0, -digestBytes), personal);
    } catch {
      // It means nothing.
    }
    const proof = hashes.filter((_, k) => k !== i).map((hash) => hash.toString('base64'));
    return { position: i + 1, leaf: leaf.toString('base64'), personal: personal && personal.toString('base64'), proof, event };
  });
  return { transactionId, checkpoint: `${text}\n\u2014 ${forgedOrigin} ${signature.toString('base64')}\n`, events };
}
const leafOf = (envelope, personal) => ({
  leaf: Buffer.concat([envelope, sha256(personal ?? Buffer.alloc(0))]),
  personal,
});
const partsOf = ({ leaf, personal }) => ({
  envelope: Buffer.from(leaf, 'base64').subarray(0, -digestBytes),
  personal: personal && Buffer.from(personal, 'base64'),
});

test('a signed receipt is refused when its events are not those of the charge in their order', async () => {
  const { transactionId, events } = paid;
  const [created, payment] = events.map(partsOf).map(({ envelope, personal }) => leafOf(envelope, personal));
  const stranger = lives.refunded.events.map(partsOf).map(({ envelope, personal }) => leafOf(envelope, personal));
  const told = { ok: [created, payment], gap: [payment], twice: [created, created], early: [payment, created], of: [created, stranger[1]] };
  for (const [name, leaves] of Object.entries(told)) {
    const receipt = forge(transactionId, leaves);
    const { ok, reason } = verifyReceipt(receipt, forgerLine);
    assert.equal(ok ? 'ok' : reason, name === 'ok' ? 'ok' : 'wrong_event', name);
    assert.equal((await checkProof(JSON.stringify(receipt), forgerLine)).code, ok ? 0 : 1, name);
  }
  const erased = forge(transactionId, [{ ...created, personal: null }]);
  const { ok, withoutPersonalData, events: [first] } = verifyReceipt(erased, forgerLine);
  assert.ok(ok);
  assert.equal(first.data.customerIp, null);
  assert.equal(withoutPersonalData, 1);
  assert.equal((await checkProof(JSON.stringify(erased), forgerLine)).withoutPersonalData, 1);
});

test('bytes that are no event never get through, nor stop the checker', async () => {
  const { transactionId } = paid;
  const { envelope, personal } = partsOf(paid.events[0]);
  const judge = async (changed, own, isAsked) => {
    const receipt = forge(transactionId, [leafOf(changed, own)]);
    const { ok, reason } = verifyReceipt(receipt, forgerLine);
    assert.ok(ok || ['unreadable_event', 'wrong_event'].includes(reason), reason);
    // The SDK leaves the rules for texts (products, hosts, addresses) to the ledger: it may accept more, never less.
    if (isAsked && !ok) assert.equal((await checkProof(JSON.stringify(receipt), forgerLine)).code, 1);
    return ok;
  };
  const noText = Buffer.from(envelope);
  noText[noText.indexOf('req_')] ^= 0x80;
  assert.equal(await judge(noText, personal, true), false);
  let asked = 0;
  for (const [bytes, put] of [[envelope, (each) => [each, personal]], [personal, (each) => [envelope, each]]]) {
    for (let at = 0; at < bytes.length; at += stride) {
      const changed = Buffer.from(bytes);
      changed[at] ^= at & 1 ? 0x80 : 0x01;
      await judge(...put(changed), asked++ % 19 === 0);
    }
    for (let length = 1; length < bytes.length; length += stride)
      await judge(...put(bytes.subarray(0, length)), asked++ % 19 === 0);
  }
});
