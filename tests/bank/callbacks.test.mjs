// The bank's callbacks to its customers' webhooks, by itself and on request.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { after, beforeEach, test } from 'node:test';
import { startBank } from './bank.mjs';
import { newTxid, openWorld, until } from './world.mjs';

const world = openWorld(await startBank({ document: null }));
const { client, told } = world;
let received = []; // {path, name, pix}

function listen(options) {
  const tls = {
    cert: readFileSync(told.callback.serverCertificate),
    key: readFileSync(told.callback.serverKey),
    ...options,
  };
  const server = https.createServer(tls, (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      const name = request.socket.getPeerCertificate()?.subject?.CN;
      received.push({ path: request.url, name, text });
      response.end();
    });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`https://localhost:${server.address().port}/segredo`));
  });
}

const strict = await listen({
  requestCert: true,
  rejectUnauthorized: true,
  ca: readFileSync(told.callback.ca),
});
const open = await listen({});
const register = (webhookUrl) => client.call('PUT', `/webhook/${told.client.pixKey}`, { webhookUrl });
const ids = () => received.flatMap(({ text }) => JSON.parse(text).pix.map(({ endToEndId }) => endToEndId));

beforeEach(async () => {
  await client.call('DELETE', `/webhook/${told.client.pixKey}`);
  received = [];
});

test('a payment with a txid is told to the webhook, and so is the end of a devolução', async () => {
  await register(strict);
  const txid = newTxid();
  await client.putCob(txid);
  await world.pay({ amount: '1.00' }); // without a txid there is no callback
  const [{ endToEndId }] = await world.pay({ txid });
  await until(() => received.length === 1);
  assert.deepEqual([received[0].path, received[0].name], ['/segredo/pix', told.callback.commonName]);
  const { pix } = JSON.parse(received[0].text);
  assert.deepEqual(pix, [(await client.call('GET', `/pix/${endToEndId}`)).body]);
  await client.call('PUT', `/pix/${endToEndId}/devolucao/r1`, { valor: '1.00' });
  await until(() => received.length === 2);
  assert.equal(JSON.parse(received[1].text).pix[0].devolucoes[0].status, 'DEVOLVIDO');
  await until(
    async () =>
      (await world.drive('GET', '/callbacks')).sent.filter(({ status }) => status === 200).length === 2,
  );
});

test('a bank that tells nothing', async () => {
  await register(strict);
  await world.set({ callbacks: false });
  const txid = newTxid();
  await client.putCob(txid);
  const { sent } = await world.drive('GET', '/callbacks');
  await world.pay({ txid });
  assert.deepEqual((await world.drive('GET', '/callbacks')).sent, sent);
});

test('callbacks come fivefold, out of order, in one, with any body', async () => {
  const paid = await world.pay({ amount: '1.00', txid: 'abc', times: 4 });
  const endToEndIds = paid.map((each) => each.endToEndId);
  const send = async (order) => (await world.drive('POST', '/callbacks', { url: strict, ...order })).results;
  const results = await send({ endToEndIds, times: 5, shuffle: true });
  assert.equal(results.length, 20);
  assert.ok(results.every(({ status }) => status === 200));
  assert.deepEqual(ids().sort(), Array(5).fill(endToEndIds).flat().sort());
  received = [];
  await send({ endToEndIds, inOne: true });
  assert.deepEqual(ids(), endToEndIds);
  await send({ body: 'no JSON' });
  assert.equal(received.at(-1).text, 'no JSON');
  await send({ pix: [{ endToEndId: 'E1', txid: 'x' }] });
  assert.deepEqual(JSON.parse(received.at(-1).text), { pix: [{ endToEndId: 'E1', txid: 'x' }] });
  await send({ endToEndIds: [endToEndIds[0]], url: `${strict}?ignorar=` });
  assert.equal(received.at(-1).path, '/segredo?ignorar=/pix');
});

test('callbacks are forged: by nobody, by a stranger, by another customer of the bank', async () => {
  const [{ endToEndId }] = await world.pay({ amount: '1.00', txid: 'abc' });
  const send = async (certificate) => {
    const order = { url: strict, endToEndIds: [endToEndId], certificate };
    return (await world.drive('POST', '/callbacks', order)).results[0];
  };
  for (const certificate of ['none', 'stranger']) {
    const { error, status } = await send(certificate);
    assert.ok(error && status === undefined, certificate);
  }
  assert.equal(received.length, 0);
  assert.equal((await send('other')).status, 200);
  assert.equal(received[0].name, told.other.commonName);
  await assert.rejects(send('mine'), /certificate/);
});

test('a charge of another is paid on the own key, and told to the other', async () => {
  const [{ endToEndId, chave }] = await world.pay({ account: 'other', amount: '1.00', txid: newTxid() });
  assert.equal(chave, told.other.pixKey);
  const order = { account: 'other', url: strict, endToEndIds: [endToEndId] };
  await world.drive('POST', '/callbacks', order);
  assert.deepEqual(ids(), [endToEndId]);
  assert.equal((await client.call('GET', `/pix/${endToEndId}`)).status, 404);
});

test('a bank that tries webhooks takes those that refuse callers without a certificate', async () => {
  await world.set({ webhookCheck: true });
  assert.equal((await register(strict)).status, 200);
  const careless = await register(open);
  assert.deepEqual(
    [careless.status, careless.body.detail],
    [400, 'O webhook aceita quem não mostra certificado.'],
  );
  const nobody = await register('https://127.0.0.1:1/segredo');
  assert.deepEqual(
    [nobody.status, nobody.body.detail],
    [400, 'O webhook não aceita as notificações do banco.'],
  );
});
