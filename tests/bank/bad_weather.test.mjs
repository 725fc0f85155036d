// What merchants see while a bank fails in every way it can: an answer in time, the same for repeats, with a code
// that can be paid; and no charge at the bank without an owner.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { Service } from '../oracles/api/service.mjs';
import { startBank } from './bank.mjs';
import { openWorld, until } from './world.mjs';

const world = openWorld(await startBank());
const { client, ca, baseUrl, tokenUrl } = world.told;
const service = new Service();
await service.start();
after(() => service.stop());
const project = await service.pixledger('project', 'create', '--name', 'Loja', '--pix-key', 'loja@example.com');
const connect = async (alias, fallback) => {
  const { connectionId } = await service.pixledger(
    ...['connection', 'add', '--project', project.projectId, '--env', 'live', '--alias', alias],
    ...['--provider', 'api-pix', '--psp', 'generic', '--base-url', baseUrl, '--token-url', tokenUrl],
    ...['--pix-key', client.pixKey, '--client-id', client.clientId, '--client-secret-file', client.clientSecretFile],
    ...['--cert', client.certificate, '--key', client.key, '--fallback', fallback, '--code-deadline-ms', '1000'],
  );
  return connectionId;
};
service.startProviders('--ca-file', ca, '--polls', '1s:15m');

const payer = { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' };
async function create(connectionId, key) {
  const payment = { amountCents: 1990, product: 'Camiseta' };
  const answer = await service.send({
    method: 'POST',
    path: '/api/v1/transactions',
    headers: {
      Authorization: `Bearer ${project.liveKey}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    },
    body: JSON.stringify({ customer: payer, payment, originDomain: 'loja.example', connectionId }),
  });
  return { status: answer.status, text: answer.body, ...JSON.parse(answer.body) };
}
const statusOf = async (id) => {
  const headers = { Authorization: `Bearer ${project.liveKey}` };
  return JSON.parse((await service.send({ method: 'GET', path: `/api/v1/transactions/${id}`, headers })).body).data.status;
};

const weather = {
  'a bank that asks for less': { kind: 'status', status: 429, retryAfter: 1 },
  'a bank that fails': { kind: 'status', status: 500 },
  'a page of HTML': { kind: 'html', status: 502 },
  'a token that is refused': { kind: 'status', status: 401 },
  'a connection that ends': { kind: 'drop', when: 'before' },
  'an answer that is lost': { kind: 'drop', when: 'after' },
  'an answer that is cut off': { kind: 'cut' },
  'an answer that is no JSON': { kind: 'body', status: 201, contentType: 'application/json', text: '{"txid":' },
  'a charge with another txid': { kind: 'wrong-txid' },
  'a charge with another amount': { kind: 'wrong-amount' },
  'a charge on another key': { kind: 'wrong-key' },
  'a code whose checksum is wrong': { kind: 'bad-crc' },
};
for (const [what, fault] of Object.entries(weather)) {
  test(`${what}: the answer is a charge that can be paid, for repeats as well`, async () => {
    // A connection of its own, so that no breaker of another weather is open.
    const connectionId = await connect(what.replaceAll(' ', '-'), 'static');
    let attempt = 0; // the worker learns of the connection in a moment
    await until(async () => {
      const { data } = await create(connectionId, `${what}, before ${(attempt += 1)}`);
      return !data.pixCode.includes(client.pixKey);
    });
    for (const operation of ['cob.put', 'cob.get']) await world.fault({ operation, times: null, ...fault });
    const first = await create(connectionId, what);
    assert.equal(first.status, 201, first.text);
    const again = await create(connectionId, what);
    assert.equal(again.text, first.text);
    await world.drive('DELETE', '/faults');
    const { id, pixCode } = first.data;
    // What the bank may have made unheard is taken back, unless it is what the merchant was given.
    if (pixCode.includes(client.pixKey))
      await until(async () => (await world.client.call('GET', `/cob/p${id}`)).body.status !== 'ATIVA', 60);
    await world.pay({ code: pixCode });
    await until(async () => (await statusOf(id)) === 'paid', 60);
  });
}

test('a bank that is down: nothing is recorded where no other code may be given, and it goes on afterwards', async () => {
  const connectionId = await connect('fora', 'none');
  let attempt = 0;
  await until(async () => (await create(connectionId, `fora, before ${(attempt += 1)}`)).status === 201);
  await world.drive('POST', '/stop');
  const during = await create(connectionId, 'fora');
  assert.ok([424, 503].includes(during.status), during.text);
  await world.drive('POST', '/start');
  await until(async () => (await create(connectionId, `fora, after ${(attempt += 1)}`)).status === 201, 60);
});

test('no payer and no secret is in what the worker has written', () => {
  const log = service.providersLog;
  assert.ok(log.length > 0);
  const secrets = [readFileSync(client.clientSecretFile, 'utf8').trim(), payer.name, payer.document, payer.email, payer.phone];
  for (const secret of secrets) assert.ok(!log.includes(secret), 'it was written');
});
