// Stoplight Prism, a program of its own between the TLS end and the bank: it holds each request and each
// answer to the document, and answers for what does not fit.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { patchedDocument } from './document.mjs';

const program = fileURLToPath(new URL('node_modules/@stoplight/prism-cli/dist/index.js', import.meta.url));
const offered = /^\/(cob|pix|webhook|loc)(\/|$)/;
const itsErrors = 'https://stoplight.io/prism/errors#';

export class Prism {
  port;
  #child;

  // Reads the document at `path`, passes to the bank's port. What it needs on the disk goes into the folder.
  async start(path, upstreamPort, folder) {
    if (!existsSync(program)) throw new Error('npm ci in tests/bank brings what reads the document');
    const file = join(folder, 'patched.json');
    const openApi = await patchedDocument(path);
    // What the bank does not offer need not be read.
    for (const each of Object.keys(openApi.paths)) if (!offered.test(each)) delete openApi.paths[each];
    writeFileSync(file, JSON.stringify(openApi));
    const options = ['--errors', '--port', '0', '--host', '127.0.0.1', '--no-cors'];
    this.#child = spawn(
      process.execPath,
      [program, 'proxy', file, `http://127.0.0.1:${upstreamPort}`, ...options],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, FORCE_COLOR: '0', NODE_ENV: '' },
      },
    );
    this.port = await new Promise((resolve, reject) => {
      let said = '';
      for (const stream of [this.#child.stdout, this.#child.stderr])
        stream.setEncoding('utf8').on('data', (text) => {
          if (this.port) return; // what it says later comes with its answers
          said += text;
          const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said);
          if (found) resolve(Number(found[1]));
        });
      this.#child.once('error', reject);
      this.#child.once('exit', (code) => reject(new Error(`Prism ended with ${code}: ${said}`)));
    });
  }

  close() {
    this.#child?.kill();
  }
}

const readable = ({ location = [], severity, message }) => ({ at: location.join('.'), severity, message });

function listed(header) {
  try {
    return JSON.parse(header).map(readable);
  } catch {
    return [{ at: '', severity: 'Error', message: header }]; // cut, since there are many
  }
}

function problemIn(body) {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return {}; // a fault that Prism was not there to see
  }
}

// What Prism has to say about an exchange, from the answer it gave: [{at, severity, message}]. What the
// document does not describe, a 401, 429 or 5xx, is a Warning.
export function violationsIn({ headers, body }) {
  if (headers['sl-violations']) return listed(headers['sl-violations']);
  if (!headers['content-type']?.startsWith('application/problem+json')) return [];
  const { type = '', title, detail, validation } = problemIn(body);
  if (!type.startsWith(itsErrors)) return [];
  if (validation) return validation.map(readable);
  return [{ at: 'request', severity: 'Error', message: `${title}: ${detail}` }];
}
