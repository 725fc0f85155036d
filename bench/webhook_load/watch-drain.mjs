// Starts a worker and waits until nginx has received so many webhooks; prints how fast that was, and the worker's
// memory meanwhile.
// Usage: node watch-drain.mjs STATUS_URL COUNT WORKER ARGUMENTS…
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [statusUrl, count, worker, ...workerArguments] = process.argv.slice(2);

// Requests so far, without those for the status itself.
let asked = 0;
async function received() {
  const text = await (await fetch(statusUrl)).text();
  asked++;
  return Number(text.split('\n')[2].trim().split(/\s+/)[2]) - asked;
}
function memoryMb(field) {
  const line = readFileSync(`/proc/${workerPid}/status`, 'utf8').split('\n').find((each) => each.startsWith(field));
  return Number(line.match(/\d+/)[0]) / 1024;
}
// Seconds of processor time of a process, its own and its waited-for children's.
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const before = await received();
const started = Date.now();
const child = spawn(worker, workerArguments, { stdio: ['ignore', 'ignore', 'inherit'] });
const workerPid = child.pid;
const samples = [];
let now = 0;
while (now < Number(count)) {
  await new Promise((resolve) => { setTimeout(resolve, 100); });
  now = await received() - before;
  samples.push({ done: now, own: memoryMb('RssAnon'), all: memoryMb('VmRSS') });
  if (Date.now() - started > 600_000) throw new Error(`only ${now} of ${count} webhooks in ten minutes`);
}
const seconds = (Date.now() - started) / 1000;
const at = (share) => samples.find((sample) => sample.done >= Number(count) * share);
console.log(`drain_webhooks=${now}`);
console.log(`drain_seconds=${seconds.toFixed(1)}`);
console.log(`drain_per_second=${Math.round(now / seconds)}`);
console.log(`drain_worker_cpu_us_each=${Math.round(cpuSeconds(workerPid) * 1e6 / now)}`);
for (const share of [0.1, 0.5, 0.9]) {
  console.log(`drain_own_memory_mb_at_${share * 100}_percent=${at(share).own.toFixed(1)}`);
}
console.log(`drain_with_mapped_ledger_mb=${at(0.9).all.toFixed(1)}`);
child.kill('SIGTERM');
