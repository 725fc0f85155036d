// A data directory, the programs that work on it, and a merchant who receives its webhooks.
import { execFile, spawn } from 'node:child_process';
import http from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PixledgerClient } from '../../sdk/node/index.mjs';

const bin = process.env.PIXLEDGER_BIN_DIR;
if (!bin) throw new Error('set PIXLEDGER_BIN_DIR');
const run = promisify(execFile);

// What each side shows of a charge, by the paths that show it.
const chargeViews = ['/api/transactions/', '/api/v1/transactions/'];

export class Installation {
  #data;
  #up;
  #receiver;
  #waiting = [];
  webhooks = []; // {path, headers, rawBody}
  baseUrl;
  receiverUrl;

  constructor(directory) {
    this.#data = ['--data', directory, '--map-size', '256MiB'];
  }

  // What a command prints; rejects when its exit code is not 0.
  async pixledger(...command) {
    return (await run(join(bin, 'pixledger'), [...this.#data, ...command], { maxBuffer: 1 << 26 })).stdout;
  }
  async json(...command) {
    return JSON.parse(await this.pixledger(...command, '--json'));
  }

  // Server and all workers.
  async start() {
    this.#up = spawn(join(bin, 'pixledger'), [...this.#data, 'up', '--dev', '--listen', '127.0.0.1:0', '--log-format', 'json']);
    process.once('exit', () => this.#up?.kill());
    let said = '';
    const port = await new Promise((resolve, reject) => {
      for (const stream of ['stdout', 'stderr'])
        this.#up[stream].setEncoding('utf8').on('data', (part) => {
          said += part;
          const ready = /ready on http:\/\/127\.0\.0\.1:(\d+)/.exec(said);
          if (ready) resolve(ready[1]);
        });
      this.#up.once('exit', (code) => reject(new Error(`pixledger up ended with ${code}: ${said}`)));
    });
    this.baseUrl = `http://127.0.0.1:${port}`;
  }
  async stop() {
    if (!this.#up) return 0;
    const ended = new Promise((resolve) => {
      this.#up.once('exit', resolve);
    });
    this.#up.kill('SIGTERM');
    const code = await ended;
    this.#up = undefined;
    return code;
  }

  client(apiKey) {
    return new PixledgerClient({ apiKey, baseUrl: this.baseUrl, allowHttp: true });
  }
  async get(apiKey, path) {
    const answer = await fetch(this.baseUrl + path, { headers: { authorization: `Bearer ${apiKey}` } });
    return { status: answer.status, body: await answer.json() };
  }
  async shown(apiKey, chargeIds) {
    const all = {};
    for (const id of chargeIds) for (const path of chargeViews) all[path + id] = await this.get(apiKey, path + id);
    return all;
  }

  async startReceiver() {
    this.#receiver = http.createServer((request, response) => {
      const parts = [];
      request.on('data', (part) => parts.push(part));
      request.on('end', () => {
        this.webhooks.push({ path: request.url, headers: request.headers, rawBody: Buffer.concat(parts) });
        response.writeHead(request.url.startsWith('/refusing') ? 500 : 200).end();
        for (const look of this.#waiting) look();
      });
    });
    await new Promise((resolve) => {
      this.#receiver.listen(0, '127.0.0.1', resolve);
    });
    this.receiverUrl = `http://127.0.0.1:${this.#receiver.address().port}`;
  }
  stopReceiver() {
    this.#receiver?.closeAllConnections();
    this.#receiver?.close();
  }
  // Resolves when there are `count` webhooks like that.
  arrived(isWanted, count = 1) {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.webhooks.filter(isWanted);
        if (found.length >= count) resolve(found);
      };
      this.#waiting.push(look);
      look();
    });
  }
}
