import http from 'node:http';
import { startBank } from '../tests/bank/bank.mjs';
import { drive } from '../tests/bank/customer.mjs';
import { Service } from '../tests/oracles/api/service.mjs';

const bankMs = Number(process.env.BANK_MS ?? 300);
const atOnce = Number(process.env.AT_ONCE ?? 64);
const secondsEach = Number(process.env.SECONDS_EACH ?? 5);
const rounds = Number(process.env.ROUNDS ?? 5);

const bank = await startBank({ document: null });
const { client, ca, baseUrl, tokenUrl } = bank.told;
const service = new Service();
await service.start('--max-connections-per-address', '0');
const project = await service.pixledger('project', 'create', '--name', 'Loja', '--pix-key', 'loja@example.com');
const { connectionId } = await service.pixledger(
  ...['connection', 'add', '--project', project.projectId, '--env', 'live', '--alias', 'banco'],
  ...['--provider', 'api-pix', '--psp', 'generic', '--base-url', baseUrl, '--token-url', tokenUrl],
  ...['--pix-key', client.pixKey, '--client-id', client.clientId, '--client-secret-file', client.clientSecretFile],
  ...['--cert', client.certificate, '--key', client.key, '--fallback', 'static', '--rate', '1000'],
);
service.startProviders('--ca-file', ca, '--polls', '1h:15m');

let orders = 0;
async function create(connection) {
  const customer = { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' };
  const payment = { amountCents: 1990, product: `Pedido ${++orders}` };
  const order = { customer, payment, originDomain: 'loja.example', ...connection };
  const began = performance.now();
  const { status, body } = await service.send({
    method: 'POST',
    path: '/api/v1/transactions',
    headers: { Authorization: `Bearer ${project.liveKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(order),
  });
  if (status !== 201) throw new Error(`${status}: ${body}`);
  return { ms: performance.now() - began, isDynamic: !JSON.parse(body).data.pixCode.includes(client.pixKey) };
}

// So many callers, each with one create after the other, for a while.
async function load(callers, connection) {
  const done = [];
  const end = performance.now() + secondsEach * 1_000;
  const caller = async () => {
    while (performance.now() < end) done.push(await create(connection));
  };
  await Promise.all(Array.from({ length: callers }, caller));
  done.sort((a, b) => a.ms - b.ms);
  const at = (share) => Math.round(done[Math.floor(share * (done.length - 1))].ms);
  return { perSecond: Math.round(done.length / secondsEach), p50: at(0.5), p99: at(0.99), dynamic: done.filter(({ isDynamic }) => isDynamic).length / done.length };
}
const show = (what, { perSecond, p50, p99 }, more = '') => console.log(`${what.padEnd(34)} ${perSecond} a second, p50 ${p50} ms, p99 ${p99} ms${more}`);

// The worker has to be there before anybody waits for it.
while (!(await create({ connectionId })).isDynamic);
await drive(bank.told, 'POST', '/faults', [{ operation: 'cob.put', kind: 'delay', ms: bankMs, times: null }]);
// In turns, since the machine's speed changes by the minute.
const alone = [];
const throughBank = [];
const beside = [];
for (let round = 0; round < rounds; ++round) {
  alone.push(await load(8, {}));
  const [there, here] = await Promise.all([load(atOnce, { connectionId }), load(8, {})]);
  throughBank.push(there);
  beside.push(here);
}
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const medians = (runs) => Object.fromEntries(Object.keys(runs[0]).map((name) => [name, median(runs.map((run) => run[name]))]));
const ratios = beside.map(({ perSecond }, round) => perSecond / alone[round].perSecond);
const banked = medians(throughBank);
show('other connection, alone (8)', medians(alone));
show(`behind a bank of ${bankMs} ms (${atOnce})`, banked, `, ${(100 * banked.dynamic).toFixed(0)} % with the bank's code`);
show('other connection, beside (8)', medians(beside),
  `, ${median(ratios).toFixed(2)} of alone (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`);
await service.stop();
await bank.close();
process.exit(0);
