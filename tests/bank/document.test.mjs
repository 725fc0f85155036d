// The bank behind Prism, which holds it and its clients to Banco Central's document. Without the document
// this says so and looks at the patches alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDocument, patchedDocument, readDocument, withoutDocument } from './document.mjs';
import { patched, patches } from './patches.mjs';
import { runBank } from './program.mjs';
import { newTxid, openWorld } from './world.mjs';

const document = findDocument();
const skip = document === null ? withoutDocument : false;

test('a patch whose defect is gone fails, and names it', () => {
  const list = [
    [
      'a is one',
      ({ a }) => {
        if (a !== 1) throw new Error('not so');
      },
    ],
    [
      'b is two',
      ({ b }) => {
        if (b !== 2) throw new Error('not so');
      },
    ],
  ];
  assert.deepEqual(patched({ a: 1, b: 2 }, list), { a: 1, b: 2 });
  assert.throws(() => patched({ a: 1, b: 3 }, list), /b is two: not so/);
});

test('each patch of the document has its defect, and is needed once', { skip }, async () => {
  const changed = await patchedDocument(document);
  for (const [defect, patch] of patches.slice(0, -1)) assert.throws(() => patch(changed), undefined, defect);
  const open = await readDocument(document);
  assert.throws(() => patches.at(-1)[1](open), /places/);
});

if (document === null) console.log(withoutDocument);
else await throughPrism();

async function throughPrism() {
  const program = await runBank();
  const world = openWorld({ told: program.told, close: program.end });
  const { client, other, told } = world;
  const violations = async () => (await world.drive('GET', '/violations')).violations;
  const all = async () => (await world.drive('GET', '/violations')).all;
  const wanted = (answer, status) => assert.equal(answer.status, status, JSON.stringify(answer.body));

  test('every operation, good and refused, fits the document', async () => {
    const txid = newTxid();
    const devedor = { cpf: '52998224725', nome: 'Ana Lima' };
    const infoAdicionais = [{ nome: 'Pedido', valor: '1' }];
    const made = await client.putCob(txid, { amount: '19.90', devedor, infoAdicionais });
    wanted(made, 201);
    wanted(await client.call('PATCH', `/cob/${txid}`, { loc: { id: made.body.loc.id } }), 200);
    wanted(await client.call('PATCH', `/cob/${txid}`, { valor: { original: '20.00' } }), 200);
    wanted(await client.call('GET', `/cob/${txid}?revisao=0`), 200);
    wanted(await client.call('GET', `/loc/${made.body.loc.id}`), 200);
    wanted(await client.call('GET', '/loc/999999'), 404);
    wanted(await client.call('GET', `/cob/${newTxid()}`), 404);
    wanted(await client.putCob(newTxid(), { chave: told.other.pixKey }), 400);
    const gone = newTxid();
    const removal = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' };
    wanted(await client.putCob(gone), 201);
    wanted(await client.call('PATCH', `/cob/${gone}`, removal), 200);
    wanted(await client.call('PATCH', `/cob/${gone}`, removal), 400);

    const [paid] = await world.pay({ txid, infoPagador: 'obrigado', cpf: '52998224725' });
    await world.pay({ amount: '5.00' });
    await world.pay({ amount: '5.00', txid: 'cm3k5x8q90000abcdefghijkl' });
    const pix = `/pix/${paid.endToEndId}`;
    wanted(await client.call('GET', pix), 200);
    wanted(await client.call('GET', `/pix/${'E'.padEnd(32, '0')}`), 404);
    wanted(await client.call('PUT', `${pix}/devolucao/r1`, { valor: '5.00' }), 201);
    wanted(await client.call('PUT', `${pix}/devolucao/r1`, { valor: '5.00' }), 400);
    wanted(await client.call('GET', `${pix}/devolucao/r1`), 200);
    wanted(await client.call('GET', `${pix}/devolucao/r2`), 404);
    await world.drive('POST', '/return', { endToEndId: paid.endToEndId, amount: '2.00' });
    await world.set({ settleMs: null });
    wanted(await client.call('PUT', `${pix}/devolucao/r3`, { valor: '1.00', descricao: 'troca' }), 201);
    await world.drive('POST', '/settle', {
      endToEndId: paid.endToEndId,
      id: 'r3',
      status: 'NAO_REALIZADO',
      motivo: 'x',
    });
    wanted(await client.call('GET', `/cob/${txid}`), 200);

    const window = 'inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z';
    const page = '&paginacao.paginaAtual=0&paginacao.itensPorPagina=1000';
    for (const query of ['', page, '&cpf=52998224725'])
      wanted(await client.call('GET', `/cob?${window}${query}`), 200);
    for (const query of [
      '',
      page,
      '&txid=cm3k5x8q90000abcdefghijkl',
      '&txIdPresente=false',
      '&devolucaoPresente=true',
    ])
      wanted(await client.call('GET', `/pix?${window}${query}`), 200);

    for (const [customer, key] of [
      [client, told.client.pixKey],
      [other, told.other.pixKey],
    ]) {
      const webhook = `/webhook/${encodeURIComponent(key)}`;
      wanted(await customer.call('PUT', webhook, { webhookUrl: 'https://127.0.0.1:9/segredo' }), 200);
      wanted(await customer.call('GET', webhook), 200);
      wanted(await customer.call('DELETE', webhook), 204);
      wanted(await customer.call('GET', webhook), 404);
    }
    assert.deepEqual(await violations(), []);
  });

  test('ten thousand and one payments fit the document', async () => {
    await world.drive('POST', '/pay-many', {
      count: 10_001,
      from: '2026-03-01T00:00:00Z',
      to: '2026-03-01T00:15:00Z',
    });
    const window = 'inicio=2026-03-01T00:00:00Z&fim=2026-03-01T00:15:00Z&paginacao.itensPorPagina=1000';
    const { body } = await client.call('GET', `/pix?${window}&paginacao.paginaAtual=10`);
    assert.deepEqual([body.pix.length, body.parametros.paginacao.quantidadeDePaginas], [1, 11]);
    assert.equal((await client.call('GET', `/pix?${window}&paginacao.paginaAtual=9`)).body.pix.length, 1000);
    assert.deepEqual(await violations(), []);
  });

  test('what is undocumented but no success is a warning', async () => {
    await world.set({ repeats: 'conflict' });
    const txid = newTxid();
    await client.putCob(txid);
    wanted(await client.putCob(txid), 409);
    assert.equal((await all()).at(-1).severity, 'Warning');
    assert.deepEqual(await violations(), []);
  });

  // What the proxy finds in the one request that `ask` makes.
  async function found(ask) {
    const before = (await all()).length;
    await ask();
    return (await all()).slice(before);
  }

  test('a client’s violation is caught', async () => {
    const good = { calendario: { expiracao: 60 }, valor: { original: '1.00' }, chave: told.client.pixKey };
    const put =
      (changes, txid = newTxid()) =>
      () =>
        client.call('PUT', `/cob/${txid}`, { ...good, ...changes });
    for (const [ask, where] of [
      [put({ valor: { original: '1.999' } }), /body/],
      [put({ valor: { original: 1 } }), /body/],
      [put({ chave: undefined }), /body/],
      [put({ calendario: { expiracao: '60' } }), /body/],
      [put({ devedor: { cpf: '5299822472', nome: 'Ana' } }), /body/],
      [put({}, 'short'), /path/],
      [put({}, 'x'.repeat(60)), /path/],
      [() => client.call('GET', '/pix?inicio=2026-01-01T00:00:00&fim=2026-01-02T00:00:00Z'), /query/],
      [() => client.call('GET', `/pix?inicio=2026-01-01T00:00:00Z`), /query/],
      [() => client.call('GET', '/nothing/at/all'), /request/],
      [() => client.call('PUT', `/pix/${'E'.padEnd(32, '0')}/devolucao/r1`, { valor: '1' }), /body/],
    ]) {
      const [first] = await found(ask);
      assert.equal(first?.severity, 'Error', String(where));
      assert.equal(first.isPlanted, false);
      assert.match(`${first.at} ${first.message}`, where);
    }
    assert.ok((await violations()).length >= 11);
  });

  test('a planted violation of the bank is caught, in each operation that answers something', async () => {
    const txid = newTxid();
    await client.putCob(txid);
    const [{ endToEndId }] = await world.pay({ txid });
    const webhook = `/webhook/${told.client.pixKey}`;
    await client.call('PUT', webhook, { webhookUrl: 'https://127.0.0.1:9/segredo' });
    const window = `inicio=${new Date(Date.now() - 60_000).toISOString()}&fim=2100-01-01T00:00:00Z`;
    const plants = [
      ['cob.put', 'txid', 'short', () => client.putCob(newTxid())],
      ['cob.put', 'pixCopiaECola', 5, () => client.putCob(newTxid())],
      [
        'cob.patch',
        'revisao',
        undefined,
        () => client.call('PATCH', `/cob/${txid}`, { solicitacaoPagador: undefined }),
      ],
      ['cob.get', 'status', 'PAGA', () => client.call('GET', `/cob/${txid}`)],
      ['cob.get', 'pix.0.valor', '1.999', () => client.call('GET', `/cob/${txid}`)],
      ['cob.list', 'cobs.0.calendario.criacao', 'ontem', () => client.call('GET', `/cob?${window}`)],
      ['pix.list', 'pix.0.horario', '2026-01-01T00:00:00', () => client.call('GET', `/pix?${window}`)],
      ['pix.list', 'parametros.paginacao', undefined, () => client.call('GET', `/pix?${window}`)],
      ['pix.get', 'txid', 'x'.repeat(36), () => client.call('GET', `/pix/${endToEndId}`)],
      [
        'devolucao.put',
        'rtrId',
        undefined,
        () => client.call('PUT', `/pix/${endToEndId}/devolucao/r1`, { valor: '1.00' }),
      ],
      ['devolucao.get', 'status', 'FEITO', () => client.call('GET', `/pix/${endToEndId}/devolucao/r1`)],
      ['webhook.get', 'criacao', undefined, () => client.call('GET', webhook)],
      ['loc.get', 'tipoCob', 'cobx', () => client.call('GET', '/loc/1')],
    ];
    for (const [operation, path, value, ask] of plants) {
      await world.fault({ side: 'inner', operation, kind: 'set', path, value });
      const [first] = await found(ask);
      assert.deepEqual([first?.severity, first?.isPlanted], ['Error', true], `${operation} ${path}`);
    }
    await world.fault({ side: 'inner', operation: 'cob.get', kind: 'html', status: 200 });
    assert.ok((await found(() => client.call('GET', `/cob/${txid}`))).length > 0);
  });

  test('faults inside that fit the document pass it', async () => {
    await world.fault({ side: 'inner', operation: 'cob.put', kind: 'wrong-amount' });
    const answer = await client.putCob(newTxid());
    assert.deepEqual([answer.status, answer.body.valor.original], [201, '10.01']);
    await world.fault({ side: 'inner', operation: 'cob.put', kind: 'drop', when: 'after' });
    const txid = newTxid();
    assert.ok((await client.putCob(txid)).status >= 500);
    wanted(await client.call('GET', `/cob/${txid}`), 200);
  });

  test('a run with violations does not end well, and ends with them', async () => {
    const before = await violations();
    assert.ok(before.length > 0);
    assert.deepEqual(await program.end(), { code: 1, last: { violations: before } });
  });
}
