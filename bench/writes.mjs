// See writes.
import { closeSync, fdatasyncSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import {
  bench, bin, machine, medianOf, metric, metricsOf, percentileOf, Programs, say, setting, writeResult,
} from './programs.mjs';

const folders = process.argv.slice(2);
const number = (name, otherwise) => Number(setting(name, otherwise));
const rounds = number('ROUNDS', 7), seconds = number('SECONDS_EACH', 5), charges = number('CHARGES', 100000);
const bareFileBytes = 64 << 20;
const besides = {
  alone: undefined,
  backup: (file) => ['backup', file('backup')],
  verify: () => ['verify'],
  rebuild: () => ['projections', 'rebuild'],
  'alone again': undefined, // creates become faster, since their payers become known
};
const rooms = ['ledger', 'views', 'other'];
const calls = ['pwrite', 'pwritev', 'write', 'writev', 'fdatasync', 'fsync', 'bytes']; // as count_calls.c has them

class Round {
  #programs;
  #file;
  #key;
  #server;
  #data;

  constructor(folder) {
    this.#programs = new Programs(folder);
    this.#file = (name) => this.#programs.file(name);
    this.#data = this.#file('data');
  }

  async run() {
    try {
      this.#key = (await this.#programs.run('fill', join(bin, 'bench_fill_ledger'), [this.#data, charges])).trim();
      writeFileSync(this.#file('calls'), Buffer.alloc(rooms.length * calls.length * 8));
      this.#server = await this.#programs.startServer(this.#data, [],
        { LD_PRELOAD: join(bin, 'libbench_count_calls.so'), PIXLEDGER_CALLS: this.#file('calls') });
      const figures = {};
      for (const name of Object.keys(besides)) {
        figures[name] = await this.#beside(name, async () => {
          const full = await this.#counted(() => this.#createsAtOnce());
          const half = await this.#counted(() => this.#createsAt((figures.alone?.full ?? full).rate / 2));
          return { full, half };
        });
        if (name !== 'alone') continue;
        const { ledger } = figures.alone.half;
        figures.bare = this.#bareSyncs(Math.max(1, Math.round(ledger.bytes / (ledger.fdatasync + ledger.fsync || 1))));
        figures.lmdb = await this.#lmdb();
      }
      return figures;
    } finally {
      await this.#programs.close();
    }
  }

  // The figures of `work`, and how often that command ended meanwhile.
  async #beside(name, work) {
    if (!besides[name]) return work();
    let goesOn = true, times = 0;
    const repeat = async () => {
      for (; goesOn; ++times) {
        rmSync(this.#file('backup'), { recursive: true, force: true });
        await this.#programs.run(name, join(bin, 'pixledger'), ['--data', this.#data, ...besides[name](this.#file)]);
      }
    };
    const repeated = repeat();
    repeated.catch(() => {}); // thrown below
    try {
      return { ...(await work()), times };
    } finally {
      goesOn = false;
      await repeated;
    }
  }

  // The figures of `work`, and the calls that the server made meanwhile, divided by the creates.
  async #counted(work) {
    const read = async () => ({
      creates: metric(await metricsOf(this.#server), 'pixledger_charges_total', 'event="created"'),
      counts: new BigUint64Array(new Uint8Array(readFileSync(this.#file('calls'))).buffer),
    });
    const before = await read();
    const figures = await work();
    const after = await read();
    const creates = after.creates - before.creates;
    rooms.forEach((room, i) => {
      figures[room] = Object.fromEntries(calls.map((call, j) => {
        const at = i * calls.length + j;
        return [call, Number(after.counts[at] - before.counts[at]) / creates];
      }));
    });
    return figures;
  }

  // On 64 connections, each of which waits for its answer.
  async #createsAtOnce() {
    const env = { BASE_URL: this.#server.url, API_KEY: this.#key, METRICS: 'create', SECONDS_EACH: seconds, WARMUP: 1 };
    const text = await this.#programs.run('closed', join(bench, 'load/measure'), [], { env });
    const of = (name) => Number(new RegExp(`^create_${name}=(.*)$`, 'm').exec(text)[1]);
    return { rate: of('rps'), p50: of('p50_ms'), p99: of('p99_ms') };
  }

  async #createsAt(rate) {
    const options = ['--port', this.#server.port, '--key', this.#key, '--rate', Math.max(1, rate), '--seconds', seconds];
    return JSON.parse(await this.#programs.run('open', join(bin, 'bench_open_loop'), options));
  }

  // Writes and syncs in a file of a constant size, one after the other.
  #bareSyncs(bytes) {
    const file = openSync(this.#file('bare'), 'w'), part = Buffer.alloc(bytes, 1), took = [];
    writeSync(file, Buffer.alloc(bareFileBytes));
    fdatasyncSync(file);
    let at = 0;
    for (const end = performance.now() + seconds * 1000; performance.now() < end; at += bytes) {
      if (at + bytes > bareFileBytes) at = 0;
      const begin = performance.now();
      writeSync(file, part, 0, bytes, at);
      fdatasyncSync(file);
      took.push(performance.now() - begin);
    }
    closeSync(file);
    took.sort((a, b) => a - b);
    const of = (share) => percentileOf(took, share);
    return { bytes, times: took.length, p50: of(0.5), p99: of(0.99), p999: of(0.999) };
  }

  // With the rows of this ledger's newest creates.
  async #lmdb() {
    mkdirSync(this.#file('lmdb'));
    const options = [this.#data, this.#file('lmdb')];
    return JSON.parse(await this.#programs.run('lmdb', join(bin, 'bench_lmdb_commits'), options));
  }
}

// Those of one round by their names.
function figuresOf({ bare, lmdb, ...conditions }) {
  const { alone, 'alone again': again } = conditions;
  const found = {
    'create/s, 64 connections': alone.full.rate,
    'LMDB alone, create/s': lmdb.creates_per_s,
    'create / LMDB alone': alone.full.rate / lmdb.creates_per_s,
  };
  const writes = ['pwrite', 'pwritev', 'writev'], syncs = ['fdatasync', 'fsync'];
  for (const [at, name] of [['full', 'at the maximum'], ['half', 'at half of it']]) {
    const sum = (values) => values.reduce((total, value) => total + value, 0);
    const of = (kinds, ...where) => sum(where.map((room) => sum(kinds.map((kind) => alone[at][room][kind]))));
    found[`pwrite, pwritev and writev a create, ${name}`] = of(writes, ...rooms);
    for (const room of rooms) found[`  of them ${room}`.padEnd(20) + name] = of(writes, room);
    found[`fdatasync and fsync a create, ${name}`] = of(syncs, ...rooms);
    found[`bytes written a create, ${name}`] = of(['bytes'], ...rooms);
  }
  found['create p50 at half, ms'] = alone.half.p50;
  found['create p99 at half, ms'] = alone.half.p99;
  found['bare fdatasync, bytes'] = bare.bytes;
  found['bare fdatasync p50, ms'] = bare.p50;
  found['bare fdatasync p99, ms'] = bare.p99;
  found['create p99 at half − bare p99, ms'] = alone.half.p99 - bare.p99;
  for (const name of ['backup', 'verify', 'rebuild']) {
    const rate = (each) => each.full.rate, p99 = (each) => each.half.p99;
    const mean = (of) => (of(alone) + of(again)) / 2;
    found[`beside ${name}: create/s`] = rate(conditions[name]);
    found[`beside ${name}: create/s / alone`] = rate(conditions[name]) / mean(rate);
    found[`beside ${name}: p99, ms`] = p99(conditions[name]);
    found[`beside ${name}: p99 / alone`] = p99(conditions[name]) / mean(p99);
    found[`beside ${name}: times it ended`] = conditions[name].times;
  }
  return found;
}

const measured = Object.fromEntries(folders.map((folder) => [folder, []]));
for (let round = 1; round <= rounds; ++round) {
  for (const folder of folders) {
    say(`round ${round} of ${rounds}, ${folder}`);
    measured[folder].push(await new Round(folder).run());
  }
}

const result = { ...machine(), rounds, seconds, charges, folders: {} };
console.log(`${result.date}, ${result.machine}; ${rounds} rounds of ${seconds} s`);
for (const folder of folders) {
  const all = measured[folder].map(figuresOf), medians = {};
  console.log(`\n${folder}`.padEnd(52) + ['median', 'lowest', 'highest'].map((text) => text.padStart(11)).join(''));
  for (const name of Object.keys(all[0])) {
    const values = all.map((each) => each[name]);
    medians[name.trim().replaceAll(/ +/g, ' ')] = medianOf(values);
    const columns = [medianOf(values), Math.min(...values), Math.max(...values)];
    const texts = columns.map((value) => value.toFixed(Math.abs(value) < 100 ? 2 : 0).padStart(11));
    console.log(name.padEnd(51) + texts.join(''));
  }
  result.folders[folder] = { medians, rounds: measured[folder] };
}
writeResult(result);
