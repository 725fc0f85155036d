// Money that arrives on a connection's key and fits no charge, and money that a charge has unapplied: listed,
// assigned, closed, sent back through the bank. Server, workers and command line are all real.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, test } from 'node:test';
import { Service } from '../oracles/api/service.mjs';
import { startBank } from './bank.mjs';
import { openMerchant } from './merchant.mjs';
import { openWorld, until } from './world.mjs';

const world = openWorld(await startBank());
const merchant = await openMerchant(world.told);
const { service, project, detail } = merchant;

// The merchant's webhooks.
const told = [];
const receiver = http.createServer((request, response) => {
  let text = '';
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    told.push(JSON.parse(text));
    response.end();
  });
});
await new Promise((resolve) => {
  receiver.listen(0, '127.0.0.1', resolve);
});
after(async () => {
  await service.stop();
  receiver.close();
});

const other = await service.pixledger('project', 'create', '--name', 'Outra', '--pix-key', 'outra@example.com');
const connectionId = await merchant.connect('banco', '--fallback', 'none', '--code-deadline-ms', '10000');
await service.pixledger(
  ...['channel', 'add', '--project', project.projectId, '--url', `http://127.0.0.1:${receiver.address().port}/`],
  ...Service.mayTargetItself,
);
merchant.startProviders('--polls', '1s:15m');
service.startWorker();

const create = (options, key = project.liveKey) => merchant.create(options, { Authorization: `Bearer ${key}` });
// The worker may be starting still: no request waits for a worker that does not run.
const created = async () => {
  const { data } = await until(async () => {
    const answer = await create({ connectionId });
    return answer.status === 201 && answer;
  });
  return data;
};
const list = (state = 'open') =>
  service.pixledger('payment', 'list', '--project', project.projectId, '--state', state);
const listed = (endToEndId, state) =>
  until(async () => (await list(state)).find((item) => item.endToEndId === endToEndId));
const settle = (command, endToEndId, ...options) =>
  service.pixledger('payment', command, '--project', project.projectId, '--end-to-end-id', endToEndId, ...options);
// Exit code and what is said on stderr.
const refused = async (...command) => {
  const answer = await settle(...command).then(
    () => ({ code: 0 }),
    (error) => error,
  );
  return { code: answer.code, stderr: answer.stderr };
};
const paidTo = (id) =>
  told.filter(({ event, data }) => event === 'transaction.paid' && data.transactionId === id);
const byHand = async (amount = '19.90', more = {}) => (await world.pay({ amount, ...more }))[0].endToEndId;
const devolucoes = async (endToEndId) =>
  (await world.client.call('GET', `/pix/${endToEndId}`)).body.devolucoes ?? [];

test('a payment without txid is listed, and pays the charge that it is assigned to, once', async () => {
  const { id } = await created();
  const endToEndId = await byHand('19.90', { infoPagador: 'pedido da Ana' });
  const item = await listed(endToEndId);
  const { paidAt, ...shown } = item;
  assert.ok(Date.parse(paidAt) <= Date.now());
  assert.deepEqual(
    [shown.amountCents, shown.connectionId, shown.state, shown.reason],
    [1990, connectionId, 'open', 'no_txid'],
  );
  await until(async () => {
    const { body } = await service.send({ method: 'GET', path: '/metrics' });
    return body.includes(`pixledger_unmatched_payments{connection="${connectionId}"} 1\n`);
  });
  const assigned = await settle('assign', endToEndId, '--id', id);
  assert.deepEqual(assigned, { transactionId: id, status: 'paid', endToEndId });
  assert.equal((await detail(id)).transactionCode, endToEndId);
  await until(() => paidTo(id).length > 0);
  assert.equal((await list()).length, 0);
  assert.equal((await list('closed'))[0].transactionId, id);
  // It must not be paid a second time.
  await until(
    async () => (await world.client.call('GET', `/cob/p${id}`)).body.status === 'REMOVIDA_PELO_USUARIO_RECEBEDOR',
  );
  const events = (await service.print('events')).trim();
  assert.ok(!events.includes('pedido da Ana'), 'nothing that the payer wrote is kept');
  assert.equal(events.split('"type":"PaymentUnmatched"').length, 2);
  assert.equal((await refused('assign', endToEndId, '--id', id)).code, 1);
});

test('a payment that is sent back goes back once, whatever is lost on the way', async () => {
  const endToEndId = await byHand('7.50');
  await listed(endToEndId);
  await world.fault({ operation: 'devolucao.put', kind: 'drop', when: 'after' });
  const asked = await settle('close', endToEndId, '--send-back', '--reason', 'não é nosso');
  assert.equal(asked.resolution, 'returning');
  assert.equal((await refused('close', endToEndId)).code, 1);
  const back = await until(async () => {
    const item = (await list('closed')).find((each) => each.endToEndId === endToEndId);
    return item?.resolution === 'returned' && item;
  });
  assert.equal(back.returnId, asked.returnId);
  assert.ok(back.returnedAt);
  const made = await devolucoes(endToEndId);
  assert.deepEqual(
    made.map(({ id, valor, status }) => ({ id, valor, status })),
    [{ id: asked.returnId, valor: '7.50', status: 'DEVOLVIDO' }],
  );
});

test('what is left of a payment goes back where the bank has sent back a part by itself', async () => {
  const endToEndId = await byHand('19.90');
  await listed(endToEndId);
  await world.drive('POST', '/return', { endToEndId, amount: '9.90', id: 'MED1' });
  await until(async () => (await list()).find((each) => each.endToEndId === endToEndId).returnedCents === 990);
  const { returnId } = await settle('close', endToEndId, '--send-back');
  const isReturned = ({ endToEndId: id, resolution }) => id === endToEndId && resolution === 'returned';
  await until(async () => (await list('closed')).some(isReturned));
  const made = await devolucoes(endToEndId);
  assert.deepEqual(
    made.map(({ id, valor, status }) => [id, valor, status]),
    [
      ['MED1', '9.90', 'DEVOLVIDO'],
      [returnId, '10.00', 'DEVOLVIDO'],
    ],
  );
});

test('what the bank sends back of a payment that was closed is in the ledger, part by part', async () => {
  const endToEndId = await byHand('10.00');
  await listed(endToEndId);
  await settle('close', endToEndId, '--reason', 'é nosso');
  const closed = async () => (await list('closed')).find((each) => each.endToEndId === endToEndId);
  await world.drive('POST', '/return', { endToEndId, amount: '4.00', id: 'MED2' });
  await until(async () => (await closed()).returnedCents === 400);
  assert.equal((await closed()).resolution, 'closed');
  await world.drive('POST', '/return', { endToEndId, amount: '6.00', id: 'MED3' });
  await until(async () => (await closed()).resolution === 'returned');
  assert.equal((await closed()).returnedCents, 1000);
});

test('a payment that the bank does not send back is open again, with its reason', async () => {
  const endToEndId = await byHand('3.10');
  await listed(endToEndId);
  await world.set({ settleMs: null });
  const { returnId } = await settle('close', endToEndId, '--send-back');
  await until(async () => (await devolucoes(endToEndId)).length === 1);
  const motivo = 'conta de Maria da Silva encerrada';
  await world.drive('POST', '/settle', { endToEndId, id: returnId, status: 'NAO_REALIZADO', motivo });
  const open = await listed(endToEndId);
  assert.deepEqual(
    [open.reason, open.returnFailure],
    ['return_failed', 'the bank did not carry it out (NAO_REALIZADO)'],
  );
  const closed = await settle('close', endToEndId, '--reason', 'devolvido em mãos');
  assert.deepEqual([closed.state, closed.resolution], ['closed', 'closed']);
});

test('unapplied money goes back through the bank, and shows when', async () => {
  const { id, pixCode } = await created();
  await world.pay({ code: pixCode });
  await until(async () => (await detail(id)).status === 'paid');
  const [{ endToEndId }] = await world.pay({ code: pixCode, force: true });
  await until(async () => (await detail(id)).unappliedPayments.length === 1);
  assert.equal((await detail(id)).unappliedPayments[0].returnedAt, null);
  const asked = await service.pixledger('charge', 'return-payment', '--end-to-end-id', endToEndId, '--send-back');
  assert.equal(asked.settlement, 'returning');
  const shown = await until(async () => {
    const found = await detail(id);
    return found.unappliedPayments[0].returnedAt && found;
  });
  assert.equal(shown.status, 'paid');
  assert.deepEqual(shown.refunds, []);
  assert.equal((await devolucoes(endToEndId)).length, 1);
});

test("another project's, another world's and unknown ones are refused", async () => {
  const theirs = (await create({}, other.liveKey)).data.id;
  const sandbox = (await create({}, project.testKey)).data.id;
  // Paid to our key with the txid of their charge: theirs is not paid by that.
  const endToEndId = await byHand('19.90', { txid: theirs });
  assert.equal((await listed(endToEndId)).reason, 'other_project');
  for (const id of [theirs, sandbox, 'cnosuchtransaction00000001']) {
    const answer = await refused('assign', endToEndId, '--id', id);
    assert.equal(answer.code, 1, answer.stderr);
  }
  assert.equal((await refused('close', 'E18236120202603011200s1a2b3c4d5e')).code, 1);
  assert.equal((await refused('close', 'none')).code, 2);
  assert.equal((await detail(sandbox)).status, 'waiting_payment');
  assert.equal((await list()).length, 1);
});

test('the ledger is sound, its read models are what it says, and who was told was told once', async () => {
  await service.print('verify');
  const [{ transactionId }] = (await list('closed')).filter(({ resolution }) => resolution === 'assigned');
  assert.equal(paidTo(transactionId).length, 1);
});
