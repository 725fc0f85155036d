// A customer's program for the tests of the bank: calls its API as the document says, and drives it as a test
// does.
import { readFileSync } from 'node:fs';
import https from 'node:https';

export class Customer {
  #told;
  #who;
  #agent;
  #token;

  // told: what the bank printed. who: 'client' or 'other'. tls: what its connections are made with, else its
  // certificate.
  constructor(told, who = 'client', tls = undefined) {
    this.#told = told;
    this.#who = told[who];
    const { certificate, key } = this.#who;
    const own = tls ?? { cert: readFileSync(certificate), key: readFileSync(key) };
    this.#agent = new https.Agent({ ca: readFileSync(told.ca), keepAlive: true, ...own });
  }

  close() {
    this.#agent.destroy();
  }

  // {status, headers, body: parsed where it is JSON, else text}. Rejects where the connection breaks.
  send(url, { method = 'GET', headers = {}, text } = {}) {
    const length = text === undefined ? {} : { 'content-length': Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const options = { method, agent: this.#agent, headers: { ...length, ...headers } };
      const request = https.request(url, options, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.once('error', reject);
        response.once('end', () => {
          const answer = Buffer.concat(parts).toString('utf8');
          const isJson = /json/.test(response.headers['content-type'] ?? '');
          resolve({
            status: response.statusCode,
            headers: response.headers,
            body: isJson ? JSON.parse(answer) : answer,
          });
        });
      });
      request.once('error', reject);
      request.end(text);
    });
  }

  // auth: 'basic', 'body' (a form), 'json' (with Basic) or 'none'.
  askToken({ auth = 'basic', scope, secret = this.#who.clientSecret, id = this.#who.clientId } = {}) {
    const grant = { grant_type: 'client_credentials', ...(scope ? { scope } : {}) };
    const basic = { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const asked = {
      basic: { headers: { ...basic, ...form }, text: String(new URLSearchParams(grant)) },
      json: { headers: { ...basic, 'content-type': 'application/json' }, text: JSON.stringify(grant) },
      body: {
        headers: form,
        text: String(new URLSearchParams({ ...grant, client_id: id, client_secret: secret })),
      },
      none: { headers: form, text: String(new URLSearchParams({ ...grant, client_id: id })) },
    }[auth];
    return this.send(this.#told.tokenUrl, { method: 'POST', ...asked });
  }

  async authenticate(options) {
    this.#token = (await this.askToken(options)).body.access_token;
  }

  async call(method, path, body) {
    if (!this.#token) await this.authenticate();
    const headers = { authorization: `Bearer ${this.#token}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    return this.send(this.#told.baseUrl + path, { method, headers, text });
  }

  // A cob as pixledger asks for one. changes: fields of the body.
  putCob(txid, { amount = '10.00', seconds = 3600, ...changes } = {}) {
    return this.call('PUT', `/cob/${txid}`, {
      calendario: { expiracao: seconds },
      valor: { original: amount },
      chave: this.#who.pixKey,
      solicitacaoPagador: 'Camiseta azul',
      ...changes,
    });
  }
}

// Drives the bank: its answer, or an error with what the bank says.
export async function drive({ controlUrl }, method, path, body) {
  const response = await fetch(controlUrl + path, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}
