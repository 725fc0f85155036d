// Nodes of a shared ledger: a data directory each, and an API server that is restarted when it ends.
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pause, until } from './cluster.mjs';

const run = promisify(execFile);
const bin = process.env.PIXLEDGER_BIN_DIR;
if (!bin) throw new Error('set PIXLEDGER_BIN_DIR');
// Sanitizers cannot map a terabyte.
const mapSize = ['--map-size', '1GiB'];

export class Node {
  #isWanted = true;

  constructor(parent, name, uri) {
    Object.assign(this, { name, uri, directory: join(parent, name), port: 0, starts: 0, log: '' });
  }

  // Options of every program on the node. Without a URI it has a ledger of its own, or the one its directory remembers.
  options() {
    const shared = this.uri ? ['--ledger', this.uri, '--node', this.name] : [];
    return ['--data', this.directory, ...mapSize, ...shared];
  }

  #start(program, ...options) {
    ++this.starts;
    this.server = spawn(join(bin, program), [...this.options(), '--listen', `127.0.0.1:${this.port}`, ...options]);
    this.server.stderr.setEncoding('utf8').on('data', (text) => {
      this.log = (this.log + text).slice(-20_000);
    });
    this.server.stdout.setEncoding('utf8').on('data', (text) => {
      const ready = /ready on http:\/\/127\.0\.0\.1:(\d+)\n/.exec(text);
      if (ready) this.port = Number(ready[1]);
    });
    const { server } = this;
    server.once('exit', async () => {
      await pause(200);
      if (this.#isWanted && this.server === server) this.#start(program, ...options);
    });
  }

  async start(program = 'pixledger-server', ...options) {
    this.#isWanted = true;
    this.#start(program, ...options);
    await until(() => this.isReady(), `${this.name} is ready: ${this.log}`);
  }

  async isReady() {
    return this.port && (await fetch(this.url('/readyz')).catch(() => ({}))).status === 200;
  }

  url(path) {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  async stop() {
    this.#isWanted = false;
    if (!this.server || this.server.exitCode !== null || this.server.signalCode !== null) return;
    const ended = new Promise((resolve) => {
      this.server.once('exit', resolve);
    });
    this.server.kill('SIGKILL');
    await ended;
  }

  // Returns the command's stdout.
  async pixledger(...words) {
    const { stdout } = await run(join(bin, 'pixledger'), ['--data', this.directory, ...mapSize, ...words]);
    return stdout;
  }
}

export class Nodes {
  #parent = mkdtempSync(join(tmpdir(), 'pixledger-nodes-'));

  // Makes a ledger in the cluster, and starts `count` nodes of it. `program`: the server, with its options.
  async start(cluster, count, ...program) {
    this.all = Array.from({ length: count }, (_, i) => new Node(this.#parent, `n${i + 1}`, cluster.uri));
    process.once('exit', () => this.all.forEach((node) => node.server?.kill('SIGKILL')));
    const [first, ...others] = this.all;
    await first.pixledger('init', '--ledger', cluster.uri, '--ledger-owner', cluster.owner, '--node', first.name);
    for (const node of others) {
      mkdirSync(node.directory);
      cpSync(join(first.directory, 'keys'), join(node.directory, 'keys'), { recursive: true });
    }
    const project = await first.pixledger('project', 'create', '--name', 'Loja', '--pix-key', 'loja@example.com', '--json');
    this.project = JSON.parse(project);
    for (const node of this.all) await node.start(...program);
  }

  async stop() {
    for (const node of this.all ?? []) await node.stop();
    rmSync(this.#parent, { recursive: true, force: true, maxRetries: 10 });
  }
}
