// The bank's own rules for cobs and payers, which are the document's, without anything between.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startBank } from './bank.mjs';
import { crc16, readCode, staticCode } from './br_code.mjs';
import { newTxid, openWorld, refused } from './world.mjs';

const world = openWorld(await startBank({ document: null }));
const { client, other, told } = world;
const remove = (txid) => client.call('PATCH', `/cob/${txid}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });

test('codes have the CRC of the manual', () => {
  assert.equal(crc16('123456789'), '29B1');
  const vectors = JSON.parse(readFileSync(new URL('../vectors/brcode.json', import.meta.url), 'utf8'));
  const pix = vectors.filter(({ valid, fields }) => valid && fields?.['26']?.['01']);
  assert.ok(pix.length > 0);
  for (const { payload, fields } of pix) assert.equal(readCode(payload).chave, fields['26']['01']);
});

test('a cob is made, and its code leads to it', async () => {
  const txid = newTxid();
  const { status, body, headers } = await client.putCob(txid, { amount: '19.90' });
  assert.equal(status, 201);
  assert.deepEqual([body.txid, body.status, body.revisao, body.valor.original], [txid, 'ATIVA', 0, '19.90']);
  assert.deepEqual([body.chave, body.calendario.expiracao], [told.client.pixKey, 3600]);
  assert.ok(Math.abs(Date.parse(headers.date) - Date.now()) < 60_000);
  const code = readCode(body.pixCopiaECola);
  assert.deepEqual(code, { location: body.location, chave: undefined, txid: undefined, amount: '19.90' });
  assert.deepEqual((await client.call('GET', `/cob/${txid}`)).body, body);
  const location = await client.call('GET', `/loc/${body.loc.id}`);
  assert.deepEqual([location.body.location, location.body.txid], [body.location, txid]);
});

test('a code may be without its amount', async () => {
  await world.set({ amountInCode: false });
  const { body } = await client.putCob(newTxid());
  assert.equal(readCode(body.pixCopiaECola).amount, undefined);
});

test('a cob that breaks rules is refused, naming each', async () => {
  const good = { calendario: { expiracao: 60 }, valor: { original: '1.00' }, chave: told.client.pixKey };
  const put = (changes, txid = newTxid()) => client.call('PUT', `/cob/${txid}`, { ...good, ...changes });
  const invalid = 'CobOperacaoInvalida';
  refused(await put({}, 'short'), 400, invalid, 'cob.txid');
  refused(await put({ valor: { original: '1.999' } }), 400, invalid, 'cob.valor.original');
  refused(await put({ valor: { original: '0.00' } }), 400, invalid, 'cob.valor.original');
  refused(await put({ calendario: { expiracao: 0 } }), 400, invalid, 'cob.calendario.expiracao');
  refused(
    await put({ chave: told.other.pixKey, solicitacaoPagador: 'x'.repeat(141) }),
    400,
    invalid,
    'cob.chave',
    'cob.solicitacaoPagador',
  );
  refused(await put({ devedor: { cpf: '123', nome: 'Ana' } }), 400, invalid, 'cob.devedor');
  refused(await put({ loc: { id: 999_999 } }), 400, invalid, 'cob.loc.id');
  refused(await put({ chave: undefined, valor: undefined }), 400, invalid, 'cob.valor', 'cob.chave');
  refused(await client.call('PUT', `/cob/${newTxid()}`, '{'), 400, 'RequisicaoInvalida');
  refused(await client.call('GET', `/cob/${newTxid()}`), 404, 'CobNaoEncontrado');
  refused(await client.call('GET', '/rec/1'), 404, 'NaoEncontrado');
});

test('a PUT of what exists: altered, refused with 409, or answered again', async () => {
  const txid = newTxid();
  const first = (await client.putCob(txid)).body;
  assert.deepEqual((await client.putCob(txid)).body, first);
  const altered = (await client.putCob(txid, { amount: '11.00' })).body;
  assert.deepEqual([altered.revisao, altered.valor.original], [1, '11.00']);
  assert.equal((await client.call('GET', `/cob/${txid}?revisao=0`)).body.valor.original, '10.00');
  refused(await client.call('GET', `/cob/${txid}?revisao=2`), 400, 'CobConsultaInvalida');
  await world.set({ repeats: 'conflict' });
  const conflict = await client.putCob(txid);
  assert.deepEqual([conflict.status, conflict.body.nome], [409, 'txid_duplicado']);
  await world.set({ repeats: 'same' });
  assert.deepEqual((await client.putCob(txid, { amount: '12.00' })).body, altered);
  assert.equal((await world.drive('GET', '/counters')).cobPuts[txid], 5);
});

test('a cob is revised and removed; after that it is neither, nor paid', async () => {
  const txid = newTxid();
  await client.putCob(txid);
  const revised = await client.call('PATCH', `/cob/${txid}`, { valor: { original: '7.00' } });
  assert.deepEqual([revised.status, revised.body.revisao, revised.body.valor.original], [200, 1, '7.00']);
  const both = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR', valor: { original: '8.00' } };
  refused(await client.call('PATCH', `/cob/${txid}`, both), 400, 'CobOperacaoInvalida', 'cob.status');
  const removed = await remove(txid);
  assert.deepEqual([removed.status, removed.body.revisao], [200, 2]);
  assert.equal(removed.body.status, 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
  refused(await remove(txid), 400, 'CobOperacaoInvalida');
  await assert.rejects(world.pay({ txid }), /REMOVIDA_PELO_USUARIO_RECEBEDOR/);
  await world.pay({ txid, force: true });
  assert.equal((await world.listPix(`&txid=${txid}`)).pix.length, 1);
});

test('an expired cob stays ATIVA, and a payer must be forced to pay it', async () => {
  const txid = newTxid();
  await client.putCob(txid, { seconds: 1 });
  await world.set({ clockOffsetMs: 2000 });
  assert.equal((await client.call('GET', `/cob/${txid}`)).body.status, 'ATIVA');
  await assert.rejects(world.pay({ txid }), /expired/);
  await world.pay({ txid, force: true });
  assert.equal((await client.call('GET', `/cob/${txid}`)).body.status, 'CONCLUIDA');
});

test('a payer scans a dynamic code, and pays any amount', async () => {
  const txid = newTxid();
  const { body } = await client.putCob(txid);
  const [payment] = await world.pay({ code: body.pixCopiaECola, amount: '12.34', infoPagador: 'obrigado' });
  const cob = (await client.call('GET', `/cob/${txid}`)).body;
  assert.deepEqual([cob.status, cob.pix.length, cob.pix[0].valor], ['CONCLUIDA', 1, '12.34']);
  const alone = (await client.call('GET', `/pix/${payment.endToEndId}`)).body;
  assert.deepEqual(cob.pix[0], alone);
  assert.deepEqual([alone.txid, alone.chave], [txid, told.client.pixKey]);
  refused(await other.call('GET', `/pix/${payment.endToEndId}`), 404, 'PixNaoEncontrado');
  refused(await client.putCob(txid, { amount: '1.00' }), 400, 'CobOperacaoInvalida');
});

test('a payer who scans the code of a revised cob pays the new amount', async () => {
  const txid = newTxid();
  const { body } = await client.putCob(txid);
  await client.call('PATCH', `/cob/${txid}`, { valor: { original: '3.21' } });
  assert.equal((await world.pay({ code: body.pixCopiaECola }))[0].valor, '3.21');
});

test('a payer scans a static code, with a txid or none, twice, at any time', async () => {
  const name = { name: 'Minha Loja', city: 'RECIFE' };
  const code = staticCode(told.client.pixKey, { ...name, cents: 1990, txid: 'cm3k5x8q90000abcdefghijkl' });
  const paid = await world.pay({ code, times: 2, at: '2026-01-02T03:04:05Z' });
  assert.deepEqual(
    paid.map(({ valor, txid, horario }) => [valor, txid, horario]),
    [
      ['19.90', 'cm3k5x8q90000abcdefghijkl', '2026-01-02T03:04:05.000Z'],
      ['19.90', 'cm3k5x8q90000abcdefghijkl', '2026-01-02T03:04:05.000Z'],
    ],
  );
  assert.notEqual(paid[0].endToEndId, paid[1].endToEndId);
  const [open] = await world.pay({
    code: staticCode(told.client.pixKey, { ...name, txid: '***' }),
    amount: '5.00',
  });
  assert.equal('txid' in open, false);
  const [odd] = await world.pay({
    amount: '1.00',
    txid: 'PABC',
    reportAs: null,
    endToEndId: 'zZ345678901234567890123456789012',
  });
  assert.deepEqual([odd.endToEndId, odd.txid], ['zZ345678901234567890123456789012', undefined]);
  await assert.rejects(world.pay({ code: code.slice(0, -1) }), /CRC/);
  await assert.rejects(world.pay({ account: 'nobody', amount: '1.00' }), /no account/);
  const elsewhere = staticCode('ninguem@bank.example', { ...name, cents: 1, txid: '***' });
  await assert.rejects(world.pay({ code: elsewhere }), /no account/);
});
