// What clients meet: TLS with their certificates, /oauth/token, tokens, and the faults of the outer side. The
// rest goes through the proxy, or without one straight to the bank.
import http from 'node:http';
import https from 'node:https';
import { inDialect } from './dialect.mjs';
import { answerWith } from './faulty.mjs';
import { readBody, writeAnswer } from './messages.mjs';
import { route } from './operations.mjs';
import { violationsIn } from './prism.mjs';
import { jsonAnswer, problemAnswer } from './problems.mjs';

// Banks have the API below paths of their own.
const prefix = /^(\/api)?\/v[1-3](?=\/)/;
const passedOn = ['authorization', 'content-type', 'accept'];

// Undefined where it is no JSON.
function objectIn(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export class TlsEnd {
  #parts;
  #server;
  #port = 0;
  #sockets = new Set();
  #targetPort;

  // {bank, tokens, faults, journal}; tls: {cert, key, ca}; targetPort: the proxy's or the bank's.
  constructor(parts, tls, targetPort) {
    this.#parts = parts;
    this.#targetPort = targetPort;
    const options = { ...tls, minVersion: 'TLSv1.2', requestCert: true, rejectUnauthorized: true };
    this.#server = https.createServer(options, (request, response) => this.#serve(request, response));
    // Those in the middle of a handshake too, which the server itself does not count.
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  // Again after a stop: on the same port.
  async listen() {
    if (this.#server.listening) return this.#port;
    await new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = this.#server.address().port;
    return this.#port;
  }

  // Like a bank that is down: the port is closed, open connections break.
  async stop() {
    if (!this.#server.listening) return;
    await new Promise((resolve) => {
      this.#server.close(resolve);
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  async #serve(request, response) {
    const { bank } = this.#parts;
    const entry = this.#parts.journal.begin(request.method, request.url, bank.now());
    const started = performance.now();
    try {
      const answer = await this.#answer(request, entry);
      entry.status = answer?.status ?? 0;
      writeAnswer(response, answer, bank.now());
    } catch {
      request.socket.destroy(); // no request at all, or the client or the inside went away
    }
    this.#parts.journal.end(entry, Math.round(performance.now() - started));
  }

  async #answer(request, entry) {
    const { bank, faults, journal } = this.#parts;
    const url = new URL(request.url, 'https://bank');
    const path = url.pathname.replace(prefix, '');
    const found = route(request.method, path);
    const isToken = url.pathname.endsWith('/oauth/token');
    const operation = isToken ? 'token' : (found?.operation.name ?? 'unknown');
    const { subject, serialNumber: certificate } = request.socket.getPeerCertificate();
    const commonName = subject?.CN;
    const account = bank.accounts.find((each) => each.commonName === commonName);
    journal.recognized(entry, { operation, account: account?.name, certificate }, found?.params);
    const taken = faults.take('outer', operation, request.url);
    entry.faults.push(...taken.map(({ kind }) => kind));
    const body = await readBody(request);
    if (!isToken) entry.body = body || undefined;
    const call = { request, url, path, body, commonName, account, entry };
    return answerWith(taken, { account, params: found?.params }, async () => {
      const { ways } = bank.settings;
      const asked = { operation, query: url.searchParams, body: objectIn(body), bank, account };
      const answer = isToken ? this.#token(call) : await this.#pass(call, () => ways.refusal(asked));
      return ways.spell(answer, asked);
    });
  }

  #token({ request, url, body, commonName, entry }) {
    if (request.method !== 'POST') return problemAnswer({ kind: 'NaoEncontrado', status: 405 });
    const { headers } = request;
    const { auth, answer } = this.#parts.tokens.issue({ query: url.searchParams, headers, body, commonName });
    entry.auth = auth;
    return answer;
  }

  async #pass({ request, url, path, body, account, entry }, refusal) {
    const { bank, tokens, journal } = this.#parts;
    const token = tokens.find(request.headers.authorization);
    if (!token || token.account !== account) {
      const answer = jsonAnswer(401, { error: 'invalid_token' });
      answer.headers['www-authenticate'] = 'Bearer error="invalid_token"';
      return answer;
    }
    const { appKey } = bank.settings;
    if (appKey !== null && url.searchParams.get('gw-dev-app-key') !== appKey)
      return problemAnswer({ kind: 'AcessoNegado', detail: 'gw-dev-app-key falta ou é outra.' });
    url.searchParams.delete('gw-dev-app-key');
    const refused = refusal();
    if (refused) return refused;
    const answer = await this.#forward(request, path + url.search, body, entry.number);
    journal.violated(entry, violationsIn(answer));
    delete answer.headers['sl-violations'];
    return inDialect(bank.settings, request.method, answer);
  }

  #forward({ method, headers: sent }, path, body, number) {
    const headers = { 'x-request-number': String(number) };
    for (const name of passedOn) if (sent[name]) headers[name] = sent[name];
    if (body) headers['content-length'] = Buffer.byteLength(body);
    const options = { host: '127.0.0.1', port: this.#targetPort, agent: false, method, path, headers };
    return new Promise((resolve, reject) => {
      const forwarded = http.request(options, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.once('error', reject);
        response.once('end', () => {
          const {
            date,
            connection,
            'keep-alive': alive,
            'transfer-encoding': coding,
            ...kept
          } = response.headers;
          delete kept['content-length'];
          resolve({ status: response.statusCode, headers: kept, body: Buffer.concat(parts) });
        });
      });
      forwarded.once('error', reject);
      forwarded.end(body);
    });
  }
}
