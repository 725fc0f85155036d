// A real pixledger-server with a data directory of its own, driven over HTTP and by the command line.
import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const bin = process.env.PIXLEDGER_BIN_DIR;
if (!bin) throw new Error('set PIXLEDGER_BIN_DIR');
// Sanitizers cannot map a terabyte.
const mapSize = ['--map-size', '1GiB'];
const run = promisify(execFile);

// Lower-case names to values.
function headersOf(rawHeaders) {
  const headers = {};
  for (let i = 0; i < rawHeaders.length; i += 2) headers[rawHeaders[i].toLowerCase()] = rawHeaders[i + 1];
  return headers;
}

// Should a test end early, what it started ends with it.
const running = new Set();
process.once('exit', () => running.forEach((child) => child.kill()));
function start(name, ...options) {
  const child = spawn(join(bin, name), options);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill('SIGTERM');
  await ended;
}

async function kill(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.kill('SIGKILL');
  await ended;
}

export class Service {
  #folder = mkdtempSync(join(tmpdir(), 'pixledger-api-'));
  #data = ['--data', join(this.#folder, 'data'), ...mapSize];
  #agent = new http.Agent({ keepAlive: true });
  #server;
  #worker;
  #providers;
  providersLog = ''; // what they have written to stderr
  #port;

  // Options are the server's. Resolves when it is ready.
  async start(...options) {
    if (!existsSync(this.#data[1])) await this.print('init');
    const server = start('pixledger-server', ...this.#data, '--listen', '127.0.0.1:0', ...options);
    this.#server = server;
    let errors = '';
    server.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text;
    });
    this.#port = await new Promise((resolve, reject) => {
      let output = '';
      server.stdout.setEncoding('utf8').on('data', (text) => {
        output += text;
        const ready = /ready on http:\/\/127\.0\.0\.1:(\d+)\n/.exec(output);
        if (ready) resolve(Number(ready[1]));
      });
      server.once('error', reject);
      server.once('exit', (code) => reject(new Error(`pixledger-server ended with ${code}: ${errors}`)));
    });
  }

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  // The webhook worker, which may send to this machine.
  startWorker() {
    const options = [...Service.mayTargetItself, '--resume-from', 'beginning'];
    this.#worker = start('pixledger-webhooks', ...this.#data, ...options);
  }

  // The worker that speaks to banks.
  startProviders(...options) {
    this.#providers = start('pixledger-providers', ...this.#data, ...options);
    this.#providers.stderr.setEncoding('utf8').on('data', (text) => {
      this.providersLog += text;
    });
  }
  // At once, as if the machine had lost its power.
  killProviders() {
    return kill(this.#providers);
  }
  // What it was asked and has not answered fails. start() begins again.
  async killServer() {
    await kill(this.#server);
    this.#agent.destroy();
    this.#agent = new http.Agent({ keepAlive: true });
  }

  // What lets a server or worker accept targets on this machine.
  static mayTargetItself = ['--allow-http', '--allow-target', '127.0.0.0/8'];

  // A backup of what there is now, as a function that brings it back in place of all that came after, and starts
  // the server. What the providers' worker keeps is of no backup, and stays as it was.
  async backUp() {
    const backup = join(this.#folder, 'backup');
    await this.print('backup', backup, '--with-keys');
    return async (...options) => {
      if (this.#providers) await end(this.#providers);
      await this.#end();
      const [, before] = this.#data;
      const restored = join(this.#folder, 'restored');
      await run(join(bin, 'pixledger'), ['--data', restored, ...mapSize, 'restore', backup]);
      cpSync(join(before, 'workers/providers'), join(restored, 'workers/providers'), { recursive: true });
      this.#data = ['--data', restored, ...mapSize];
      await this.start(...options);
    };
  }

  async restart(...options) {
    await this.#end();
    await this.start(...options);
  }

  async stop() {
    if (this.#worker) await end(this.#worker);
    if (this.#providers) await end(this.#providers);
    await this.#end();
    rmSync(this.#folder, { recursive: true });
  }

  async #end() {
    this.#agent.destroy();
    await end(this.#server);
  }

  // What `pixledger …` prints.
  async print(...command) {
    const { stdout } = await run(join(bin, 'pixledger'), [...this.#data, ...command]);
    return stdout;
  }
  // The same as bytes.
  async printBytes(...command) {
    const { stdout } = await run(join(bin, 'pixledger'), [...this.#data, ...command], { encoding: 'buffer', maxBuffer: 1 << 28 });
    return stdout;
  }
  // As a shell has it, to run it under a limit.
  commandLine(...command) {
    return [join(bin, 'pixledger'), ...this.#data, ...command].map((word) => `'${word}'`).join(' ');
  }

  // What `pixledger … --json` prints, as a value.
  async pixledger(...command) {
    return JSON.parse(await this.print(...command, '--json'));
  }

  // Resolves to {status, headers, body, bytes}, the body as text and as it came.
  send({ method, path, headers = {}, body }) {
    // Node leaves the length of a body out where a method has none by custom, such as GET.
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const options = { host: '127.0.0.1', port: this.#port, agent: this.#agent, method, path, headers: { ...length, ...headers } };
    return new Promise((resolve, reject) => {
      const request = http.request(options, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.once('error', reject);
        response.once('end', () => {
          const bytes = Buffer.concat(parts);
          resolve({ status: response.statusCode, headers: headersOf(response.rawHeaders), body: bytes.toString(), bytes });
        });
      });
      request.once('error', reject);
      request.end(body);
    });
  }

  // Sends these very bytes on a connection of their own. For what the server answers by closing it.
  sendBytes(bytes) {
    return new Promise((resolve, reject) => {
      const socket = net.connect(this.#port, '127.0.0.1', () => socket.write(bytes));
      let text = '';
      socket.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      socket.once('error', reject);
      socket.once('end', () => {
        socket.destroy();
        const end = text.indexOf('\r\n\r\n');
        const [statusLine, ...lines] = text.slice(0, end).split('\r\n');
        const rawHeaders = lines.flatMap((line) => [
          line.slice(0, line.indexOf(':')),
          line.slice(line.indexOf(':') + 2),
        ]);
        resolve({
          status: Number(statusLine.split(' ')[1]),
          headers: headersOf(rawHeaders),
          body: text.slice(end + 4),
        });
      });
    });
  }
}
