// Programs that a measurement starts, and what can be read of them while they run.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';

export const bench = import.meta.dirname;
export const bin = process.env.PIXLEDGER_BIN_DIR;
export const setting = (name, otherwise) => process.env[name] || otherwise;
export const say = (text) => process.stderr.write(`${text}\n`);
export const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

export async function eventually(what, isSo, seconds) {
  for (const end = performance.now() + seconds * 1000; !(await isSo()); await pause(50))
    if (performance.now() > end) throw new Error(`${what}: not within ${seconds} s`);
}

// Programs whose files are in a temporary folder of their own in that one. close() ends and removes all of it.
export class Programs {
  static #open = new Set();
  static {
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, async () => {
        await Promise.allSettled([...Programs.#open].map((each) => each.close()));
        process.exit(130);
      });
  }
  #running = new Set();

  constructor(parent = os.tmpdir()) {
    this.folder = mkdtempSync(join(parent, 'pixledger-bench-'));
    Programs.#open.add(this);
  }

  file(name) { return join(this.folder, name); }

  // Its output is in the files NAME.out and NAME.log. `ended` resolves to its exit status.
  start(name, command, options, env = {}) {
    const [out, log] = ['out', 'log'].map((kind) => openSync(this.file(`${name}.${kind}`), 'w'));
    const child = spawn(command, options, { stdio: ['ignore', out, log], env: { ...process.env, ...env } });
    closeSync(out);
    closeSync(log);
    const program = { name, pid: child.pid, end: () => child.kill('SIGTERM') && program.ended };
    program.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        this.#running.delete(program);
        program.status = code ?? signal;
        resolve(program.status);
      });
    });
    this.#running.add(program);
    return program;
  }

  // Its output. Throws unless its status is one of these.
  async run(name, command, options, { env, good = [0] } = {}) {
    const program = this.start(name, command, options, env);
    if (!good.includes(await program.ended)) throw this.#failure(program);
    return readFileSync(this.file(`${name}.out`), 'utf8');
  }

  // The content of that file, once the program has written it.
  async contentOf(program, file, seconds = 60) {
    await eventually(file, () => {
      if (program.status !== undefined) throw this.#failure(program);
      return existsSync(file) && readFileSync(file, 'utf8') !== '';
    }, seconds);
    return readFileSync(file, 'utf8').trim();
  }

  // A server on that data directory, once it is ready. A large ledger without read models takes minutes.
  async startServer(data, options = [], env = {}) {
    const server = this.start('server', join(bin, 'pixledger-server'),
      ['--data', data, '--listen', '127.0.0.1:0', '--port-file', this.file('port'), ...options], env);
    server.port = Number(await this.contentOf(server, this.file('port'), 3600));
    server.url = `http://127.0.0.1:${server.port}`;
    await eventually('readiness', async () => (await fetch(`${server.url}/readyz`)).ok, 3600);
    return server;
  }

  async close() {
    await Promise.allSettled([...this.#running].map((program) => program.end()));
    rmSync(this.folder, { recursive: true, force: true });
    Programs.#open.delete(this);
  }

  #failure({ name, status }) {
    return new Error(`${name} ended with ${status}: ${readFileSync(this.file(`${name}.log`), 'utf8').slice(-2000)}`);
  }
}

export const metricsOf = async ({ url }) => (await fetch(`${url}/metrics`)).text();
// The sum of a metric's samples on that page; only of those with these labels, if there are any.
export function metric(page, name, labels = '') {
  return page.split('\n')
    .filter((line) => line.startsWith(name) && '{ '.includes(line[name.length]) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

// In MiB: `own` without pages of mapped files, such as the ledger's.
export function memoryOf({ pid }) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name) => Number((Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)[1]) / 1024).toFixed(1));
  return { own: of('RssAnon'), all: of('VmRSS') };
}

// Seconds of processor time so far.
export function processorSecondsOf({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
// Of a sorted list.
export const percentileOf = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];

// Writes it as JSON to the file RESULT.
export function writeResult(result) {
  mkdirSync(dirname(process.env.RESULT), { recursive: true });
  writeFileSync(process.env.RESULT, `${JSON.stringify(result, null, 1)}\n`);
}
export const machine = () => ({
  date: new Date().toISOString().slice(0, 10),
  machine: `${os.availableParallelism()} × ${os.cpus()[0].model}, ${os.type()} ${os.release()}`,
});
