// A data directory of its own, and programs on it whose limits can be changed while they run.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, closeSync, rmSync } from 'node:fs';
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

  constructor(name, ...given) {
    this.process = spawn(join(bin, name), given);
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

export class Site {
  folder = mkdtempSync(join(tmpdir(), 'pixledger-limits-'));
  data = join(this.folder, 'data');

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
    const program = [join(bin, 'pixledger'), ...all];
    const [file, ...rest] = limits.length > 0 ? ['prlimit', ...limits, '--', ...program] : program;
    return spawnSync(file, rest, { encoding: 'utf8', stdio: ['ignore', stdout, 'pipe'] });
  }
  // The same with its output in a file.
  intoFile(limits, name, ...command) {
    const file = openSync(this.path(name), 'w');
    const result = this.run(limits, file, ...this.given(...command));
    closeSync(file);
    return result;
  }

  async startServer(...more) {
    this.server = new Program('pixledger-server', ...this.given('--listen', '127.0.0.1:0', ...more));
    await this.#find(this.server);
    return this.server;
  }
  async startAll(...more) {
    this.server = new Program('pixledger', ...this.given('up', '--dev', '--listen', '127.0.0.1:0', ...more));
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
  async remove() {
    if (this.server && this.server.code === undefined) await this.server.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

// Asks again and again, without a pause of its own, until the answer is as wanted.
export async function until(ask, isWanted) {
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
