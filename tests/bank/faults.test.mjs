// What goes wrong on the outside, by order: faults, a bank that is down, banks that answer as the document
// does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBank } from './bank.mjs';
import { readCode } from './br_code.mjs';
import { newTxid, openWorld, until } from './world.mjs';

const world = openWorld(await startBank({ document: null }));
const { client, told } = world;
const requests = async () => (await world.drive('GET', '/requests')).requests;
const cobs = async () => (await world.drive('GET', '/state')).accounts[0].cobs.map(({ txid }) => txid);

test('a connection is dropped before the effect, after it, or in the middle of the answer', async () => {
  for (const [fault, isMade] of [
    [{ kind: 'drop' }, false],
    [{ kind: 'drop', when: 'after' }, true],
    [{ kind: 'cut' }, true],
  ]) {
    const txid = newTxid();
    await world.fault({ operation: 'cob.put', ...fault });
    await assert.rejects(client.putCob(txid));
    assert.equal((await cobs()).includes(txid), isMade, JSON.stringify(fault));
    assert.equal((await requests()).at(-1).faults[0], fault.kind);
    assert.equal((await client.putCob(txid)).status, 201);
  }
});

test('statuses, pages and problems stand in for answers, before or after the effect', async () => {
  const meet = async (fault) => {
    await world.fault({ operation: 'cob.put', ...fault });
    return client.putCob(newTxid());
  };
  const busy = await meet({ kind: 'status', status: 429, retryAfter: 7 });
  assert.deepEqual([busy.status, busy.headers['retry-after']], [429, '7']);
  const down = await meet({ kind: 'status', status: 503 });
  assert.equal(down.body.type, 'https://pix.bcb.gov.br/api/v2/error/ServicoIndisponivel');
  assert.equal((await meet({ kind: 'status', status: 500 })).status, 500);
  const page = await meet({ kind: 'html', status: 502 });
  assert.match(page.body, /<h1>/);
  const violacoes = [{ propriedade: 'cob.chave', razao: 'não', valor: 'x' }];
  const denied = await meet({
    kind: 'problem',
    status: 403,
    type: 'AcessoNegado',
    detail: 'sem escopo',
    violacoes,
  });
  assert.deepEqual(
    [denied.status, denied.body.detail, denied.body.violacoes],
    [403, 'sem escopo', violacoes],
  );
  const garbage = await meet({ kind: 'body', contentType: 'text/plain', text: 'ops' });
  assert.deepEqual([garbage.status, garbage.body], [200, 'ops']);
  const txid = newTxid();
  await world.fault({ operation: 'cob.put', kind: 'status', status: 500, when: 'after' });
  assert.equal((await client.putCob(txid)).status, 500);
  assert.ok((await cobs()).includes(txid));
});

test('answers are wrong in one thing', async () => {
  const meet = async (kind, more) => {
    await world.fault({ operation: 'cob.put', kind, ...more });
    return (await client.putCob(newTxid())).body;
  };
  const asked = newTxid();
  await world.fault({ operation: 'cob.put', kind: 'wrong-txid' });
  const other = (await client.putCob(asked)).body.txid;
  assert.ok(other !== asked && other.length === asked.length);
  assert.equal((await meet('wrong-amount')).valor.original, '10.01');
  assert.notEqual((await meet('wrong-key')).chave, told.client.pixKey);
  const bare = await meet('no-location');
  assert.ok(!('location' in bare) && !('loc' in bare));
  assert.ok(!('pixCopiaECola' in (await meet('no-code'))));
  const { pixCopiaECola: broken } = await meet('bad-crc');
  assert.throws(() => readCode(broken), /CRC/);
  assert.equal(readCode((await meet('wrong-code-amount')).pixCopiaECola).amount, '10.01');
  const moved = await meet('wrong-code-location');
  assert.notEqual(readCode(moved.pixCopiaECola).location, moved.location);
  assert.doesNotMatch((await meet('no-zone')).calendario.criacao, /Z$/);
  assert.equal((await meet('set', { path: 'calendario.expiracao', value: 1 })).calendario.expiracao, 1);
  assert.ok(!('valor' in (await meet('set', { path: 'valor' }))));
  assert.equal((await meet('large', { bytes: 9_000_000 })).enchimento.length, 9_000_000);
});

test('answers of lists are wrong in each item', async () => {
  await world.drive('POST', '/pay', { amount: '1.00', times: 2, at: '2026-05-01T12:00:00Z' });
  const list = async (kind) => {
    await world.fault({ operation: 'pix.list', kind });
    return (await client.call('GET', '/pix?inicio=2026-05-01T12:00:00Z&fim=2026-05-01T12:00:00Z')).body.pix;
  };
  assert.deepEqual(
    (await list('wrong-amount')).map(({ valor }) => valor),
    ['1.01', '1.01'],
  );
  assert.deepEqual(
    (await list('no-zone')).map(({ horario }) => horario),
    Array(2).fill('2026-05-01T12:00:00.000'),
  );
  assert.ok((await list('wrong-key')).every(({ chave }) => chave !== told.client.pixKey));
});

test('faults are counted: so many times, after so many, for some paths, until cleared', async () => {
  const put = async (txid = newTxid()) => (await client.putCob(txid)).status;
  const special = newTxid();
  await world.fault({ operation: 'cob.put', kind: 'status', status: 500, times: 2, skip: 1 });
  assert.deepEqual([await put(), await put(), await put(), await put()], [201, 500, 500, 201]);
  await world.fault({ operation: '*', kind: 'status', status: 503, times: null, match: special });
  assert.deepEqual([await put(), await put(special), await put(special)], [201, 503, 503]);
  await world.drive('DELETE', '/faults');
  assert.equal(await put(special), 201);
  await world.fault({ operation: 'token', kind: 'status', status: 500 });
  assert.equal((await client.askToken()).status, 500);
});

test('what is no request breaks its own connection alone', async () => {
  await assert.rejects(client.send(`https://127.0.0.1:${told.ports.tls}//`));
  assert.equal((await client.putCob(newTxid())).status, 201);
});

test('a delay comes before the effect or after it', async () => {
  // The second is answered while the first waits.
  const slow = newTxid();
  await world.fault({ operation: 'cob.put', kind: 'delay', ms: 600_000, when: 'after', match: slow });
  const waiting = assert.rejects(client.putCob(slow));
  await until(async () => (await cobs()).includes(slow));
  assert.equal((await client.putCob(newTxid())).status, 201);
  const { inFlight, mostInFlight } = await world.drive('GET', '/counters');
  assert.deepEqual([inFlight, mostInFlight], [1, 2]);
  await world.drive('POST', '/stop');
  await waiting;
  await world.drive('POST', '/start');
  await world.fault({ operation: 'cob.put', kind: 'delay', ms: 1 });
  assert.equal((await client.putCob(newTxid())).status, 201);
});

test('a cob is paid in the very moment of its removal, before or after it', async () => {
  for (const [when, status, state] of [
    ['before', 400, 'CONCLUIDA'],
    ['after', 200, 'REMOVIDA_PELO_USUARIO_RECEBEDOR'],
  ]) {
    const txid = newTxid();
    await client.putCob(txid);
    await world.fault({ operation: 'cob.patch', kind: 'pay', when });
    const removed = await client.call('PATCH', `/cob/${txid}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
    assert.equal(removed.status, status);
    const cob = (await client.call('GET', `/cob/${txid}`)).body;
    assert.deepEqual([cob.status, cob.pix.length], [state, 1]);
  }
});

test('what is no fault, setting or command is refused, and changes nothing', async () => {
  const post = (fault) => world.fault({ operation: 'cob.put', kind: 'drop' }, fault);
  await assert.rejects(post({ operation: 'cob.put', kind: 'sink' }), /kind/);
  await assert.rejects(post({ operation: 'cob.post', kind: 'drop' }), /operation/);
  await assert.rejects(post({ operation: 'cob.put', kind: 'drop', ms: 1 }), /no ms/);
  await assert.rejects(post({ kind: 'drop' }), /has an operation/);
  assert.deepEqual((await world.drive('GET', '/faults')).faults, []);
  await assert.rejects(world.set({ lagMs: 5, repeats: 'never' }), /repeats/);
  await assert.rejects(world.set({ lag: 5 }), /no setting/);
  assert.equal((await world.drive('GET', '/settings')).lagMs, 0);
  await assert.rejects(world.drive('GET', '/nothing'), /no such command/);
});

test('banks differ in statuses, errors and what they demand', async () => {
  await world.set({ createdStatus: 200, patchedStatus: 201, missingStatus: 400, errorBodies: 'efi' });
  const txid = newTxid();
  assert.equal((await client.putCob(txid)).status, 200);
  assert.equal((await client.call('PATCH', `/cob/${txid}`, { valor: { original: '2.00' } })).status, 201);
  const missing = await client.call('GET', `/cob/${newTxid()}`);
  assert.deepEqual([missing.status, missing.body.nome], [400, 'cob_nao_encontrado']);
  await world.set({ errorBodies: 'bb' });
  assert.ok((await client.call('GET', `/cob/${newTxid()}`)).body.erros[0].mensagem);
  await world.set({ errorBodies: 'html' });
  assert.match((await client.call('GET', `/cob/${newTxid()}`)).body, /<html>/);
  await world.set({ appKey: 'abc' });
  assert.equal((await client.call('GET', `/cob/${txid}`)).status, 403);
  assert.equal((await client.call('GET', `/cob/${txid}?gw-dev-app-key=abc`)).status, 200);
});

test('a bank that is down refuses connections, and comes back with its memory', async () => {
  const txid = newTxid();
  await client.putCob(txid);
  await world.drive('POST', '/stop');
  await assert.rejects(client.call('GET', `/cob/${txid}`), /ECONNREFUSED|ECONNRESET|hang up/);
  await world.drive('POST', '/start');
  assert.equal((await client.call('GET', `/cob/${txid}`)).status, 200);
});
