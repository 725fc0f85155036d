// A real server, the webhook worker and a merchant's HTTPS receiver, each a process or server of its own.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PixledgerClient } from '../../sdk/node/index.mjs';

const bin = process.env.PIXLEDGER_BIN_DIR;
if (!bin) throw new Error('set PIXLEDGER_BIN_DIR');
const run = promisify(execFile);

export const order = {
  customer: { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' },
  payment: { amountCents: 1990, product: 'Camiseta azul’ção' },
  originDomain: 'loja.example.com',
};

export const address = {
  street: 'Rua da Aurora',
  streetNumber: '100',
  neighborhood: 'Boa Vista',
  zipCode: '50050-000',
  city: 'Recife',
  state: 'PE',
  country: 'BR',
};

export class World {
  folder = mkdtempSync(join(tmpdir(), 'pixledger-sdk-'));
  project; // {projectId, liveKey, testKey}
  client; // with the test key
  baseUrl;
  receiverUrl; // once the receiver runs
  received = []; // {path, headers, rawBody: Buffer}
  #data = ['--data', join(this.folder, 'data'), '--map-size', '1GiB'];
  #programs = [];
  #receiver;
  #waiting = [];

  static async open() {
    const world = new World();
    process.once('exit', () => world.#programs.forEach((child) => child.kill()));
    world.project = await world.pixledger('project', 'create', '--name', 'Minha Loja', '--pix-key', 'a@example.com');
    await world.#serve();
    return world;
  }

  async #serve(at = '127.0.0.1:0') {
    const [, port] = await this.start(
      'pixledger-server',
      ['--listen', at, '--allow-target', '127.0.0.0/8'],
      'stdout',
      /ready on http:\/\/127\.0\.0\.1:(\d+)\n/,
    );
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.client = new PixledgerClient({ apiKey: this.project.testKey, baseUrl: this.baseUrl });
  }

  // Kills the server at once, and starts it again where it was.
  async killServer() {
    const server = this.#programs.pop();
    const ended = new Promise((resolve) => {
      server.once('exit', resolve);
    });
    server.kill('SIGKILL');
    await ended;
    await this.#serve(new URL(this.baseUrl).host);
  }

  // The directory of a new backup, keys included.
  async backUp() {
    const directory = mkdtempSync(join(this.folder, 'backup-'));
    await this.pixledger('backup', directory, '--with-keys');
    return directory;
  }

  // From now on a server on what a backup holds is the one that is called.
  async restore(backup) {
    this.#data[1] = join(mkdtempSync(join(this.folder, 'restored-')), 'data');
    await this.pixledger('restore', backup);
    await this.#serve();
  }

  // Resolves to the match of what it prints.
  start(program, options, stream, sign) {
    const child = spawn(join(bin, program), [...this.#data, ...options]);
    this.#programs.push(child);
    let text = '';
    return new Promise((resolve, reject) => {
      for (const each of ['stdout', 'stderr']) {
        child[each].setEncoding('utf8').on('data', (part) => {
          text += part;
          const found = each === stream && sign.exec(text);
          if (found) resolve(found);
        });
      }
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`${program} ended with ${code}: ${text}`)));
    });
  }

  // What `pixledger … --json` prints.
  async pixledger(...command) {
    const { stdout } = await run(join(bin, 'pixledger'), [...this.#data, ...command, '--json']);
    return JSON.parse(stdout);
  }

  // {code, stdout} of a command that may say no.
  async result(...command) {
    try {
      return { code: 0, ...(await run(join(bin, 'pixledger'), [...this.#data, ...command])) };
    } catch (error) {
      return { code: error.code, stdout: error.stdout };
    }
  }

  async startReceiver() {
    const key = join(this.folder, 'key.pem');
    const cert = join(this.folder, 'cert.pem');
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1']
        .concat(['-keyout', key, '-out', cert, '-subj', '/CN=localhost'])
        .concat(['-addext', 'subjectAltName=DNS:localhost']),
      { stdio: 'ignore' },
    );
    this.#receiver = https.createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      const parts = [];
      request.on('data', (part) => parts.push(part));
      request.on('end', () => {
        this.received.push({ path: request.url, headers: request.headers, rawBody: Buffer.concat(parts) });
        response.end('ok');
        for (const look of this.#waiting) look();
      });
    });
    await new Promise((resolve) => {
      this.#receiver.listen(0, '127.0.0.1', resolve);
    });
    await this.start(
      'pixledger-webhooks',
      ['--allow-target', '127.0.0.0/8', '--ca-file', cert, '--resume-from', 'beginning'],
      'stderr',
      /at work/,
    );
    this.receiverUrl = `https://localhost:${this.#receiver.address().port}`;
  }

  // Resolves when `count` webhooks have come to the path.
  arrived(path, count) {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.received.filter((each) => each.path === path);
        if (found.length >= count) resolve(found);
      };
      this.#waiting.push(look);
      look();
    });
  }

  async close() {
    for (const child of this.#programs.reverse()) {
      if (child.exitCode !== null) continue;
      const ended = new Promise((resolve) => {
        child.once('exit', resolve);
      });
      child.kill('SIGTERM');
      await ended;
    }
    this.#receiver?.closeAllConnections();
    this.#receiver?.close();
    rmSync(this.folder, { recursive: true });
  }
}
