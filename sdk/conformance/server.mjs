// Answers as a script says, for the conformance of the SDKs. Prints one line of JSON, the addresses that it listens
// at and the file of certificates to trust, and ends with its standard input. README.md describes the protocol.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'pixledger-conformance-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
const scripts = []; // {answers, requests}
let connections = 0; // to the TLS listeners

// A certificate that signs itself.
function certify(file, name) {
  const [key, cert] = ['key', 'cert'].map((what) => join(folder, `${file}.${what}`));
  const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=test'];
  const files = ['-keyout', key, '-out', cert, '-addext', `subjectAltName=${name}`];
  execFileSync('openssl', ['req', '-x509', ...options, ...files], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert) };
}

function queryOf(parameters) {
  const query = {};
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    query[name] = values.length === 1 ? values[0] : values;
  }
  return query;
}

function bytesOf({ json, text, base64 }) {
  if (json !== undefined) return Buffer.from(JSON.stringify(json));
  return base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64');
}

function trickle(response, bytes, ms) {
  response.write(bytes.subarray(0, 1));
  if (bytes.length > 1 && !response.destroyed) setTimeout(trickle, ms, response, bytes.subarray(1), ms);
  else response.end();
}

function respond(answer, request, response) {
  if (answer.hang) return;
  if (answer.reset) return void request.socket.resetAndDestroy();
  if (answer.close) return void request.socket.destroy();
  if (answer.raw !== undefined) return void request.socket.end(answer.raw);
  const bytes = bytesOf(answer);
  const headers = { 'Content-Type': 'application/json', ...answer.headers };
  if (answer.retryAfterDateSeconds !== undefined)
    headers['Retry-After'] = new Date(Date.now() + 1000 * answer.retryAfterDateSeconds).toUTCString();
  if (!answer.chunked) headers['Content-Length'] = bytes.length;
  response.writeHead(answer.status ?? 200, headers);
  if (answer.trickleMs !== undefined) trickle(response, bytes, answer.trickleMs);
  else if (answer.cutAfter === undefined) response.end(bytes);
  else response.write(bytes.subarray(0, answer.cutAfter), () => request.socket.destroy());
}

function play(script, request, response, body, url, path) {
  script.requests.push({
    method: request.method,
    path,
    query: queryOf(url.searchParams),
    headers: request.headers,
    body,
  });
  const answer = script.answers[Math.min(script.requests.length, script.answers.length) - 1];
  setTimeout(respond, answer.delayMs ?? 0, answer, request, response);
}

function control(request, response, body, id) {
  if (request.method === 'POST') scripts.push({ answers: JSON.parse(body).answers, requests: [], before: connections });
  const { requests, before } = scripts.at(id ?? -1);
  response.end(JSON.stringify({ path: `/${scripts.length - 1}`, requests, connections: connections - before }));
}

function handle(request, response) {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const body = Buffer.concat(parts).toString();
    const url = new URL(request.url, 'http://localhost');
    const [, first, path] = /^\/([^/]*)(.*)$/.exec(url.pathname);
    if (first === 'scripts') control(request, response, body, path.slice(1) || undefined);
    else play(scripts[first], request, response, body, url, path);
  });
}

async function listen(server) {
  server.keepAliveTimeout = 0;
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server.address().port;
}

async function listenTls(certificate) {
  const server = https.createServer(certificate, handle);
  server.on('connection', () => {
    connections += 1;
  });
  return `https://127.0.0.1:${await listen(server)}`;
}

const good = certify('good', 'IP:127.0.0.1');
const otherName = certify('otherName', 'DNS:other.example');
const caFile = join(folder, 'trusted.pem');
writeFileSync(caFile, Buffer.concat([good.cert, otherName.cert]));
const closed = http.createServer();
const closedPort = await listen(closed);
closed.close();
const addresses = {
  http: `http://127.0.0.1:${await listen(http.createServer(handle))}`,
  https: await listenTls(good),
  httpsOtherName: await listenTls(otherName),
  httpsUntrusted: await listenTls(certify('untrusted', 'IP:127.0.0.1')),
  closed: `http://127.0.0.1:${closedPort}`,
  caFile,
};
process.stdin.resume().once('end', () => process.exit());
console.log(JSON.stringify(addresses));
