// Charges through the bank: the API server, the worker that speaks to banks, and the command line, all real.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startBank } from './bank.mjs';
import { openMerchant } from './merchant.mjs';
import { openWorld, until } from './world.mjs';

const world = openWorld(await startBank());
const merchant = await openMerchant(world.told);
const { service, project, send, detail } = merchant;
after(() => service.stop());
const bank = await merchant.connect('banco', '--fallback', 'none', '--code-deadline-ms', '10000');
const hasty = await merchant.connect('apressado', '--fallback', 'static', '--code-deadline-ms', '200');
const startWorker = () => merchant.startProviders('--polls', '1s:15m');
startWorker();

const create = (connectionId = bank, key = undefined) =>
  merchant.create({ connectionId }, key && { 'Idempotency-Key': key });
const created = async (...options) => {
  // The worker may be starting still: no request waits for a worker that does not run.
  const { data } = await until(async () => {
    const answer = await create(...options);
    return answer.status === 201 && answer;
  });
  return data;
};
const paid = async () => {
  const { id, pixCode } = await created();
  const [payment] = await world.pay({ code: pixCode });
  await until(async () => (await detail(id)).status === 'paid');
  return { id, payment };
};

test('a charge has the code of the bank, and is paid when the bank has the money', async () => {
  const { id, pixCode } = await created();
  assert.equal((await world.client.call('GET', `/cob/p${id}`)).body.pixCopiaECola, pixCode);
  assert.equal((await detail(id)).pixCode, pixCode);
  const [{ endToEndId }] = await world.pay({ code: pixCode });
  const shown = await until(async () => {
    const found = await detail(id);
    return found.status === 'paid' && found;
  });
  assert.equal(shown.transactionCode, endToEndId);
  assert.equal(shown.paidAmountCents, 1990);
});

test('a charge that was paid by its static code leaves no code of the bank’s to be paid again', async () => {
  const { id } = await created();
  await world.pay({ txid: id, amount: '19.90' });
  await until(async () => (await detail(id)).status === 'paid');
  const cob = async () => (await world.client.call('GET', `/cob/p${id}`)).body;
  await until(async () => (await cob()).status === 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
});

test('an answer that is lost after its effect costs no second cob, and repeats are the same', async () => {
  await world.fault({ operation: 'cob.put', kind: 'drop', when: 'after' });
  const first = await create(bank, 'lost');
  assert.equal(first.status, 201);
  const again = await create(bank, 'lost');
  assert.equal(again.text, first.text);
  const { cobPuts } = await world.drive('GET', '/counters');
  assert.equal(cobPuts[`p${first.data.id}`], 1);
  assert.equal((await world.client.call('GET', `/cob/p${first.data.id}`)).body.pixCopiaECola, first.data.pixCode);
});

test('a bank that takes its own time for the future shows its payments all the same', async () => {
  const { id, pixCode } = await created();
  await world.set({ refuseFutureFim: true });
  await world.pay({ code: pixCode });
  await until(async () => (await detail(id)).status === 'paid');
});

test('a bank that will not give a code fails the charge, and one that is slow leaves the static one', async () => {
  await world.fault({ operation: 'cob.put', kind: 'problem', status: 403, type: 'AcessoNegado' });
  assert.equal((await create()).code, 'ERR_PROVIDER_001');
  await world.drive('DELETE', '/faults');
  await world.fault({ operation: 'cob.put', kind: 'delay', ms: 1000 });
  const late = await create(hasty);
  assert.equal(late.status, 201);
  assert.ok(late.data.pixCode.includes(world.told.client.pixKey), 'a static code on the account');
  // A code made too late is removed: no payer has it.
  await until(
    async () => (await world.client.call('GET', `/cob/p${late.data.id}`)).body.status === 'REMOVIDA_PELO_USUARIO_RECEBEDOR',
  );
});

test('a charge is cancelled at the bank first; one that is paid meanwhile is paid', async () => {
  const open = await created();
  const cancelled = await send('POST', `/${open.id}/cancel`);
  assert.equal(cancelled.data?.status, 'cancelled');
  assert.equal(
    (await world.client.call('GET', `/cob/p${open.id}`)).body.status,
    'REMOVIDA_PELO_USUARIO_RECEBEDOR',
  );
  const raced = await created();
  await world.fault({ operation: 'cob.patch', kind: 'pay', when: 'before', match: raced.id });
  assert.equal((await send('POST', `/${raced.id}/cancel`)).code, 'ERR_TRANSACTION_002');
  assert.equal((await detail(raced.id)).status, 'paid');
});

test('a bank that knows nothing of a code that it gave out cancels nothing', async () => {
  const open = await created();
  const waitFor = (ms) =>
    service.print(
      ...['connection', 'set', '--project', project.projectId, '--connection', bank, '--code-deadline-ms', `${ms}`],
    );
  await waitFor(200);
  const unknown = { kind: 'problem', status: 404, type: 'CobNaoEncontrada', times: null };
  await world.fault({ ...unknown, operation: 'cob.patch' }, { ...unknown, operation: 'cob.get' });
  assert.equal((await send('POST', `/${open.id}/cancel`)).code, 'ERR_PROVIDER_002');
  await until(async () => {
    const { requests } = await world.drive('GET', '/requests');
    return requests.filter(({ path, status }) => path?.includes(open.id) && status === 404).length > 2;
  });
  assert.equal((await detail(open.id)).status, 'waiting_payment');
  await world.drive('DELETE', '/faults');
  await until(async () => (await detail(open.id)).status === 'cancelled', 30);
  await waitFor(10_000);
});

test('a refund moves the money once, whatever is lost on the way', async () => {
  const { id, payment } = await paid();
  await world.fault({ operation: 'devolucao.put', kind: 'drop', when: 'after' });
  const asked = await send('POST', `/${id}/refund`, { amountCents: 990, reason: 'troca' });
  assert.equal(asked.status, 200);
  assert.equal(asked.data.refunds[0].status, 'pending');
  const done = await until(async () => {
    const found = await detail(id);
    return found.refunds[0].status === 'done' && found;
  });
  assert.equal(done.refundedAmountCents, 990);
  assert.equal(done.refunds[0].reason, 'troca');
  const { body } = await world.client.call('GET', `/pix/${payment.endToEndId}`);
  assert.deepEqual(
    body.devolucoes.map((devolucao) => devolucao.id),
    [done.refunds[0].id],
  );
});

test('money that the bank sends back by itself is a refund of the bank', async () => {
  const { id, payment } = await paid();
  await world.drive('POST', '/return', { endToEndId: payment.endToEndId, amount: '19.90', natureza: 'MED_FRAUDE' });
  const back = await until(async () => {
    const found = await detail(id);
    return found.status === 'refunded' && found;
  });
  assert.deepEqual(
    back.refunds.map(({ origin, status, amountCents }) => ({ origin, status, amountCents })),
    [{ origin: 'bank', status: 'done', amountCents: 1990 }],
  );
});

test('nobody waits for a bank that does not work, until it does again', async () => {
  await world.fault({ operation: '*', kind: 'status', status: 500, times: null });
  const isLeftAlone = `pixledger_provider_breaker_open{connection="${bank}"} 1`;
  await until(async () => (await service.send({ method: 'GET', path: '/metrics' })).body.includes(isLeftAlone));
  // The server looks a few times a second.
  const refused = await until(async () => {
    const answer = await create();
    return answer.status === 503 && answer;
  });
  assert.equal(refused.code, 'ERR_PROVIDER_002');
  const { data } = await create(hasty);
  assert.ok(data.pixCode.includes(world.told.client.pixKey), 'a static code on the account');
  await world.drive('DELETE', '/faults');
  assert.ok((await created()).pixCode);
});

test('a worker that is killed in the middle of its work loses nothing and repeats nothing', async () => {
  const { id, payment } = await paid();
  await world.fault({ operation: 'devolucao.put', kind: 'delay', ms: 500, when: 'after' });
  const asked = await send('POST', `/${id}/refund`, {});
  await until(async () => (await world.drive('GET', '/counters')).devolucaoPuts[asked.data.refunds[0].id]);
  await service.killProviders();
  startWorker();
  await until(async () => (await detail(id)).status === 'refunded');
  const { body } = await world.client.call('GET', `/pix/${payment.endToEndId}`);
  assert.equal(body.devolucoes.length, 1);
});
