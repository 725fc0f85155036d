// The bank's own rules for lists, devoluções and webhooks, which are the document's, without anything
// between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBank } from './bank.mjs';
import { newTxid, openWorld, refused, until } from './world.mjs';

const world = openWorld(await startBank({ document: null }));
const { client, other, told } = world;

test('lists are cut into pages, by time and filters', async () => {
  const window = { from: '2026-03-01T00:00:00Z', to: '2026-03-01T00:15:00Z' };
  const made = await world.drive('POST', '/pay-many', { count: 10_001, ...window, txid: 'muitos' });
  assert.equal(made.count, 10_001);
  const get = (page, size) =>
    client.call(
      'GET',
      `/pix?inicio=${window.from}&fim=${window.to}` +
        `&paginacao.paginaAtual=${page}&paginacao.itensPorPagina=${size}`,
    );
  const first = (await get(0, 1000)).body;
  assert.deepEqual(first.parametros.paginacao, {
    paginaAtual: 0,
    itensPorPagina: 1000,
    quantidadeDePaginas: 11,
    quantidadeTotalDeItens: 10_001,
  });
  assert.equal(first.pix.length, 1000);
  const last = (await get(10, 1000)).body;
  assert.deepEqual(
    last.pix.map(({ endToEndId }) => endToEndId),
    [made.last],
  );
  assert.deepEqual((await get(11, 1000)).body.pix, []);
  refused(await get(0, 1001), 400, 'PixConsultaInvalida', 'paginacao.itensPorPagina');
  refused(await get(-1, 10), 400, 'PixConsultaInvalida', 'paginacao.paginaAtual');
  await world.set({ itemsMax: 50 });
  assert.equal((await get(0, 1000)).body.pix.length, 50);
  assert.equal((await world.listPix('&txid=nenhum')).pix.length, 0);
  assert.ok((await world.listPix('&txIdPresente=false')).pix.every((pix) => !('txid' in pix)));
});

test('a window without zone, upside down or of the future is refused', async () => {
  const list = (inicio, fim) => client.call('GET', `/pix?inicio=${inicio}&fim=${fim}`);
  const kind = 'PixConsultaInvalida';
  refused(await list('2026-01-01T00:00:00', '2026-01-02T00:00:00Z'), 400, kind, 'inicio');
  refused(await list('2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'), 400, kind, 'fim');
  assert.equal((await list('2026-01-01T00:00:00Z', '2100-01-01T00:00:00Z')).status, 200);
  await world.set({ refuseFutureFim: true });
  refused(await list('2026-01-01T00:00:00Z', '2100-01-01T00:00:00Z'), 400, kind, 'fim');
});

test('cobs are listed by when they were made, and by status', async () => {
  const txid = newTxid();
  await client.putCob(txid, { devedor: { cpf: '52998224725', nome: 'Ana Lima' } });
  await client.call('PATCH', `/cob/${txid}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
  const list = async (query) =>
    (await client.call('GET', `/cob?inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z&${query}`)).body
      .cobs;
  assert.deepEqual(
    (await list('cpf=52998224725')).map((cob) => cob.txid),
    [txid],
  );
  assert.ok((await list('status=REMOVIDA_PELO_USUARIO_RECEBEDOR')).some((cob) => cob.txid === txid));
  assert.ok((await list('status=ATIVA')).every((cob) => cob.txid !== txid));
});

test('a payment shows later where the bank lags', async () => {
  await world.set({ lagMs: 3_600_000 });
  const txid = newTxid();
  await client.putCob(txid);
  const [{ endToEndId }] = await world.pay({ txid });
  assert.equal((await client.call('GET', `/cob/${txid}`)).body.status, 'CONCLUIDA');
  refused(await client.call('GET', `/pix/${endToEndId}`), 404, 'PixNaoEncontrado');
  assert.equal((await world.listPix(`&txid=${txid}`)).pix.length, 0);
  await world.set({ lagMs: 0 });
  assert.equal((await world.listPix(`&txid=${txid}`)).pix.length, 1);
});

test('the clock may be off', async () => {
  await world.set({ clockOffsetMs: -600_000 });
  const { body, headers } = await client.putCob(newTxid());
  for (const time of [body.calendario.criacao, headers.date])
    assert.ok(Math.abs(Date.now() - 600_000 - Date.parse(time)) < 60_000, time);
});

test('money is sent back in parts, and no more than came', async () => {
  const txid = newTxid();
  await client.putCob(txid);
  const [{ endToEndId }] = await world.pay({ txid });
  const path = (id) => `/pix/${endToEndId}/devolucao/${id}`;
  const put = (id, valor) => client.call('PUT', path(id), { valor });
  const asked = await put('r1', '4.00');
  assert.deepEqual([asked.status, asked.body.status, asked.body.valor], [201, 'EM_PROCESSAMENTO', '4.00']);
  assert.match(asked.body.rtrId, /^D\d{20}[a-zA-Z0-9]{11}$/);
  const done = await until(async () => {
    const { body } = await client.call('GET', path('r1'));
    return body.status === 'DEVOLVIDO' && body;
  });
  assert.ok(done.horario.liquidacao);
  refused(await put('r1', '1.00'), 400, 'PixDevolucaoInvalida', 'devolucao.id');
  refused(await put('r2', '6.01'), 400, 'PixDevolucaoInvalida', 'devolucao.valor');
  refused(await put('r-2', '1.00'), 400, 'PixDevolucaoInvalida', 'devolucao.id');
  refused(await put('r2', '1'), 400, 'PixDevolucaoInvalida', 'devolucao.valor');
  refused(await client.call('GET', path('r9')), 404, 'PixDevolucaoNaoEncontrada');
  await world.set({ repeats: 'conflict' });
  const conflict = await put('r1', '4.00');
  assert.deepEqual([conflict.status, conflict.body.nome], [409, 'devolucao_id_duplicado']);
  await world.set({ repeats: 'same' });
  assert.deepEqual((await put('r1', '4.00')).body, done);
  assert.equal((await world.drive('GET', '/counters')).devolucaoPuts.r1, 4);
});

test('a devolução is settled or refused by hand, and a refused one frees its amount', async () => {
  await world.set({ settleMs: null });
  const [{ endToEndId }] = await world.pay({ amount: '10.00' });
  const put = (id) => client.call('PUT', `/pix/${endToEndId}/devolucao/${id}`, { valor: '10.00' });
  const settle = (id, order) => world.drive('POST', '/settle', { endToEndId, id, ...order });
  await put('a');
  refused(await put('b'), 400, 'PixDevolucaoInvalida', 'devolucao.valor');
  await settle('a', { status: 'NAO_REALIZADO', motivo: 'sem saldo' });
  const { body } = await client.call('GET', `/pix/${endToEndId}/devolucao/a`);
  assert.deepEqual([body.status, body.motivo], ['NAO_REALIZADO', 'sem saldo']);
  assert.equal((await put('b')).status, 201);
  assert.equal((await settle('b')).status, 'DEVOLVIDO');
  await assert.rejects(settle('b'), /DEVOLVIDO/);
});

test('after ninety days nothing is sent back, but the bank itself returns money', async () => {
  const at = new Date(Date.now() - 91 * 86_400_000).toISOString();
  const [{ endToEndId }] = await world.pay({ amount: '10.00', at });
  const late = await client.call('PUT', `/pix/${endToEndId}/devolucao/r1`, { valor: '1.00' });
  refused(late, 400, 'PixDevolucaoInvalida', 'devolucao');
  await world.drive('POST', '/return', { endToEndId, amount: '3.00' });
  await world.drive('POST', '/return', { endToEndId, id: 'APP1', natureza: 'ORIGINAL' });
  const { devolucoes } = (await client.call('GET', `/pix/${endToEndId}`)).body;
  assert.deepEqual(
    devolucoes.map(({ valor, natureza, status }) => [valor, natureza, status]),
    [
      ['3.00', 'MED_FRAUDE', 'DEVOLVIDO'],
      ['7.00', 'ORIGINAL', 'DEVOLVIDO'],
    ],
  );
  await assert.rejects(world.drive('POST', '/return', { endToEndId }), /0\.00 is left/);
  assert.ok(
    (await world.listPix('&devolucaoPresente=true')).pix.some((pix) => pix.endToEndId === endToEndId),
  );
});

test('a webhook is registered for the own key alone, read and removed', async () => {
  const path = `/webhook/${encodeURIComponent(told.other.pixKey)}`;
  const webhookUrl = 'https://127.0.0.1:9/segredo';
  refused(await other.call('GET', path), 404, 'WebhookNaoEncontrado');
  refused(await client.call('PUT', path, { webhookUrl }), 400, 'WebhookOperacaoInvalida', 'chave');
  const http = await other.call('PUT', path, { webhookUrl: 'http://127.0.0.1/' });
  refused(http, 400, 'WebhookOperacaoInvalida', 'webhook.webhookUrl');
  const put = await other.call('PUT', path, { webhookUrl });
  assert.deepEqual([put.status, put.body], [200, '']);
  const { body } = await other.call('GET', path);
  assert.deepEqual([body.webhookUrl, body.chave], [webhookUrl, told.other.pixKey]);
  assert.equal((await other.call('DELETE', path)).status, 204);
  refused(await other.call('GET', path), 404, 'WebhookNaoEncontrado');
});
