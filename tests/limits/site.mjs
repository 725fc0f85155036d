// A data directory of its own, and programs on it whose limits can be changed while they run.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, closeSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bin = process.env.PIXLEDGER_BIN_DIR;
if (!bin) throw new Error('set PIXLEDGER_BIN_DIR');

// Only what a process may do from now on: it may be given back what it had.
export const limit = (pid, what) => execFileSync('prlimit', ['--pid', String(pid), what]);

// A program that runs, and what it has said.
export class Program {
  said = '';
  #waiting = [];

  constructor(file, ...given) {
    this.process = spawn(file, given);
    process.once('exit', () => this.process.kill('SIGKILL'));
    for (const stream of ['stdout', 'stderr'])
      this.process[stream].setEncoding('utf8').on('data', (part) => {
        this.said += part;
        for (const look of this.#waiting) look();
      });
    this.ended = new Promise((resolve) => {
      this.process.once('close', (code, signal) => {
        this.code = code ?? signal;
        for (const look of this.#waiting) look();
        resolve(this.code);
      });
    });
  }
  get pid() {
    return this.process.pid;
  }
  // What a pattern finds in what it says.
  says(pattern) {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(this.said);
        if (found) resolve(found);
        else if (this.code !== undefined) reject(new Error(`ended with ${this.code}: ${this.said}`));
      };
      this.#waiting.push(look);
      look();
    });
  }
  async stop() {
    this.process.kill('SIGTERM');
    return this.ended;
  }
}

export const workerNames = ['webhooks', 'emails', 'expiry', 'providers'];

// File systems of few bytes, in a mount namespace of their own, in which programs of a site run.
export class SmallDisks {
  // Undefined where this machine does not allow it: `refusal` says why.
  static async mounted(folder) {
    const script = 'mkdir -p "$1" && mount -t tmpfs -o mode=700 none "$1" && echo mounted && exec sleep infinity';
    const holder = new Program('unshare', '-m', 'sh', '-c', script, 'sh', folder);
    try {
      await holder.says(/mounted/);
      return new SmallDisks(holder);
    } catch (error) {
      SmallDisks.refusal = `no file system can be mounted here: ${error.message}`;
      return undefined;
    }
  }
  constructor(holder) {
    this.holder = holder;
    this.prefix = ['nsenter', '-t', String(holder.pid), '-m', '--'];
  }
  #run(...command) {
    const [file, ...rest] = [...this.prefix, ...command];
    execFileSync(file, rest);
  }
  // Where the programs' files are for this process.
  path(file) {
    return join('/proc', String(this.holder.pid), 'root', file);
  }
  mount(directory, size) {
    this.#run('mkdir', '-p', '-m', '700', directory);
    this.#run('mount', '-t', 'tmpfs', '-o', `size=${size},mode=700`, 'none', directory);
  }
  // A file system that is read-only from its first error on, as after an I/O error. Returns false where this machine
  // has no loop devices.
  mountOnImage(directory, image) {
    try {
      this.#run('truncate', '-s', '64M', image);
      this.#run('mkfs.ext4', '-q', image);
      this.#run('mkdir', '-p', '-m', '700', directory);
      this.mountImage(directory, image);
      this.#run('rmdir', join(directory, 'lost+found'));
      this.#run('chmod', '700', directory);
      return true;
    } catch {
      return false;
    }
  }
  mountImage(directory, image) {
    this.#run('mount', '-o', 'loop', image, directory);
  }
  unmount(directory) {
    this.#run('umount', directory);
  }
  remount(directory, how) {
    this.#run('mount', '-o', `remount,${how}`, directory);
  }
  // Takes all the room that is left.
  fill(directory) {
    const file = openSync(this.path(join(directory, 'filler')), 'w');
    for (let size = 65536; size > 0; )
      try {
        writeSync(file, Buffer.alloc(size));
      } catch (error) {
        assert.equal(error.code, 'ENOSPC');
        size >>= 1;
      }
    closeSync(file);
  }
  empty(directory) {
    rmSync(this.path(join(directory, 'filler')));
  }
  remove() {
    this.holder.process.kill('SIGKILL');
  }
}

export class Site {
  prefix = [];
  workers = [];
  folder = mkdtempSync(join(tmpdir(), 'pixledger-limits-'));
  data = join(this.folder, 'data');
  #begun = new Set(); // workers that have their state

  path(...names) {
    return join(this.folder, ...names);
  }
  given(...more) {
    return ['--data', this.data, '--map-size', '256MiB', '--log-format', 'json', ...more];
  }
  createProject() {
    this.project = JSON.parse(this.command('project', 'create', '--name', 'Loja', '--json').stdout);
  }
  // Runs a command to its end, under limits of prlimit if any.
  command(...command) {
    return this.limited([], ...command);
  }
  limited(limits, ...command) {
    return this.run(limits, 'pipe', ...this.given(...command));
  }
  run(limits, stdout, ...all) {
    const limited = limits.length > 0 ? ['prlimit', ...limits, '--'] : [];
    const [file, ...rest] = [...this.prefix, ...limited, join(bin, 'pixledger'), ...all];
    return spawnSync(file, rest, { encoding: 'utf8', stdio: ['ignore', stdout, 'pipe'] });
  }
  // The same with its output in a file.
  intoFile(limits, name, ...command) {
    const file = openSync(this.path(name), 'w');
    const result = this.run(limits, file, ...this.given(...command));
    closeSync(file);
    return result;
  }

  start(name, ...more) {
    return new Program(...this.prefix, join(bin, name), ...this.given(...more));
  }
  // Sending workers start with the first event.
  startWorker(name, ...more) {
    const isFirst = !this.#begun.has(name);
    const begin = isFirst && (name === 'webhooks' || name === 'emails') ? ['--resume-from', '1'] : [];
    this.#begun.add(name);
    const worker = this.start(`pixledger-${name}`, ...begin, ...more);
    this.workers.push(worker);
    return worker;
  }
  // All that there is now has been read by it.
  hasRead(worker) {
    const pattern = new RegExp(`pixledger_worker_lag_events\\{worker="${worker}"\\} 0\n`);
    return until(
      () => this.ask('GET', '/metrics'),
      ({ text }) => pattern.test(text),
    );
  }

  async startServer(...more) {
    this.server = this.start('pixledger-server', '--listen', '127.0.0.1:0', ...more);
    await this.#find(this.server);
    return this.server;
  }
  async startAll(...more) {
    this.server = this.start('pixledger', 'up', '--dev', '--listen', '127.0.0.1:0', ...more);
    await this.#find(this.server);
    return this.server;
  }
  async #find(program) {
    const [, port] = await program.says(/ready on http:\/\/127\.0\.0\.1:(\d+)/);
    this.url = `http://127.0.0.1:${port}`;
  }
  async ask(method, path, body, key = this.project.testKey) {
    const answer = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
  }
  create() {
    return this.ask('POST', '/api/v1/transactions', {
      customer: { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' },
      payment: { amountCents: 1000, product: 'Camiseta' },
      originDomain: 'loja.example.com',
    });
  }
  // Creates a charge that is paid. Returns its id.
  async createPaid() {
    const created = await this.create();
    assert.equal(created.status, 201, created.text);
    const { id } = created.body.data;
    const paid = await this.ask('POST', `/api/sandbox/transactions/${id}/pay`);
    assert.equal(paid.status, 200, paid.text);
    return id;
  }
  async remove() {
    for (const worker of this.workers) if (worker.code === undefined) await worker.stop();
    if (this.server && this.server.code === undefined) await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

// Asks again and again until the answer is as wanted. Throws where it never is.
export async function until(ask, isWanted) {
  for (const end = Date.now() + 90_000; ; ) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (Date.now() > end) throw new Error(`this is not what is waited for: ${JSON.stringify(answer).slice(0, 2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
