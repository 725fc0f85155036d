import { openBank } from './bank_setup.mjs';

const bankMs = Number(process.env.BANK_MS ?? 300);
const atOnce = Number(process.env.AT_ONCE ?? 64);
const secondsEach = Number(process.env.SECONDS_EACH ?? 10);

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
const alone = await load(8, {});
await world.drive('POST', '/faults', [{ operation: 'cob.put', kind: 'delay', ms: bankMs, times: null }]);
const [throughBank, beside] = await Promise.all([load(atOnce, { connectionId: world.connectionId }), load(8, {})]);
show('other connection, alone (8)', alone);
show(`behind a bank of ${bankMs} ms (${atOnce})`, throughBank, `, ${(100 * throughBank.dynamic).toFixed(0)} % with the bank's code`);
show('other connection, beside (8)', beside, `, ${(beside.perSecond / alone.perSecond).toFixed(2)} of alone`);
await world.close();
process.exit(0);
