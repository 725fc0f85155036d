import { openBank } from './bank_setup.mjs';

const bankMs = Number(process.env.BANK_MS ?? 300);
const atOnce = Number(process.env.AT_ONCE ?? 64);
const secondsEach = Number(process.env.SECONDS_EACH ?? 5);
const rounds = Number(process.env.ROUNDS ?? 5);

const world = await openBank();
world.startProviders('--polls', '1h:15m');

async function create(connection) {
  const began = performance.now();
  const { isDynamic } = await world.create(connection);
  return { ms: performance.now() - began, isDynamic };
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

await world.awaitWorker();
await world.drive('POST', '/faults', [{ operation: 'cob.put', kind: 'delay', ms: bankMs, times: null }]);
// In turns, since the machine's speed changes by the minute.
const alone = [];
const throughBank = [];
const beside = [];
for (let round = 0; round < rounds; ++round) {
  alone.push(await load(8, {}));
  const [there, here] = await Promise.all([load(atOnce, { connectionId: world.connectionId }), load(8, {})]);
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
await world.close();
process.exit(0);
