// The TLS end: which clients are accepted, and which tokens they get.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import tls from 'node:tls';
import { startBank } from './bank.mjs';
import { Customer } from './customer.mjs';
import { newTxid, openWorld } from './world.mjs';

const world = openWorld(await startBank({ document: null }));
const { client, other, told } = world;
const requests = async () => (await world.drive('GET', '/requests')).requests;

// Rejects as a client sees a refused handshake.
async function unlike(options) {
  const intruder = new Customer(told, 'client', options);
  await assert.rejects(intruder.askToken(), /certificate|alert|ECONNRESET|EPIPE|hang up|version|protocol/i);
  intruder.close();
}

test('nobody is let in without a certificate of the bank, nor with a TLS of old', async () => {
  const own = { cert: readFileSync(told.client.certificate), key: readFileSync(told.client.key) };
  const folder = told.ca.slice(0, -'ca.pem'.length);
  await unlike({});
  await unlike({ cert: readFileSync(`${folder}stranger.pem`), key: readFileSync(`${folder}stranger.key`) });
  await unlike({ cert: readFileSync(told.expired.certificate), key: readFileSync(told.expired.key) });
  await unlike({ ...own, maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' });
  for (const version of ['TLSv1.2', 'TLSv1.3']) {
    const customer = new Customer(told, 'client', { ...own, minVersion: version, maxVersion: version });
    assert.equal((await customer.askToken()).status, 200);
    customer.close();
  }
});

test('a customer is known again when a session is resumed', async () => {
  const { body } = await client.askToken();
  // The outcome of a new connection, which may resume a session.
  const get = (version, session) =>
    new Promise((resolve, reject) => {
      const came = { session, text: '' };
      const socket = tls.connect({
        port: told.ports.tls,
        host: '127.0.0.1',
        ca: readFileSync(told.ca),
        cert: readFileSync(told.client.certificate),
        key: readFileSync(told.client.key),
        minVersion: version,
        maxVersion: version,
        session,
      });
      socket.once('secureConnect', () => {
        came.isResumed = socket.isSessionReused();
      });
      socket.on('session', (made) => {
        came.session = made;
      });
      socket.setEncoding('utf8').on('data', (part) => {
        came.text += part;
      });
      socket.once('error', reject);
      socket.once('close', () => resolve(came));
      socket.write(
        `GET /api/v2/cob/${newTxid()} HTTP/1.1\r\nHost: bank\r\nConnection: close\r\n` +
          `Authorization: Bearer ${body.access_token}\r\n\r\n`,
      );
    });
  for (const version of ['TLSv1.2', 'TLSv1.3']) {
    const first = await get(version);
    const second = await get(version, first.session);
    assert.deepEqual([first.isResumed, second.isResumed], [false, true], version);
    for (const { text } of [first, second]) assert.match(text, /^HTTP\/1\.1 404 /, version);
  }
});

test('the files of a customer open: the key fits, both PFX have the password', () => {
  const { pfx, oldPfx, pfxPasswordFile, certificate } = told.client;
  const wanted = readFileSync(certificate, 'utf8').trim();
  for (const [file, ...more] of [[pfx], ...(oldPfx ? [[oldPfx, '-legacy']] : [])]) {
    const options = ['pkcs12', '-in', file, '-nokeys', '-passin', `file:${pfxPasswordFile}`, ...more];
    const read = execFileSync('openssl', options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    assert.ok(read.includes(wanted), file);
  }
});

test('tokens are given to who says who it is, in each of the ways', async () => {
  for (const auth of ['basic', 'json', 'body']) {
    const { status, body } = await client.askToken({ auth });
    assert.deepEqual([status, body.token_type, body.expires_in], [200, 'Bearer', 3600]);
    assert.match(body.scope, /cob\.write/);
  }
  assert.equal((await client.askToken({ auth: 'none' })).status, 401);
  assert.equal((await client.askToken({ secret: 'x' })).status, 401);
  assert.equal(
    (await client.askToken({ id: told.other.clientId, secret: told.other.clientSecret })).status,
    401,
  );
  assert.equal((await client.askToken({ scope: 'cob.write rec.write' })).body.error, 'invalid_scope');
  await world.set({ tokenAuth: 'none' });
  assert.equal((await client.askToken({ auth: 'none' })).status, 200);
  await world.set({ tokenAuth: 'basic' });
  assert.equal((await client.askToken({ auth: 'body' })).status, 401);
  const asked = (await requests()).filter(({ operation }) => operation === 'token').map(({ auth }) => auth);
  assert.deepEqual([...new Set(asked)].sort(), ['basic', 'body', 'none']);
  assert.ok(!JSON.stringify(await requests()).includes(told.client.clientSecret));
});

test('a bank may grant fewer scopes than were asked for', async () => {
  await world.set({ grantedScopes: ['cob.write', 'cob.read'] });
  await client.authenticate({ scope: 'cob.write cob.read pix.read' });
  assert.equal((await client.putCob(newTxid())).status, 201);
  const { status, body } = await client.call(
    'GET',
    '/pix?inicio=2026-01-01T00:00:00Z&fim=2026-01-02T00:00:00Z',
  );
  assert.deepEqual([status, body.type], [403, 'https://pix.bcb.gov.br/api/v2/error/AcessoNegado']);
  await world.set({ grantedScopes: null });
  await client.authenticate();
});

test('a token that was revoked, has ended or is another customer’s is 401', async () => {
  const { body } = await other.askToken();
  const stolen = { headers: { authorization: `Bearer ${body.access_token}` } };
  assert.equal((await client.send(`${told.baseUrl}/cob/x`, stolen)).status, 401);
  await world.drive('POST', '/revoke-tokens');
  const { status, headers } = await client.putCob(newTxid());
  assert.deepEqual([status, headers['www-authenticate']], [401, 'Bearer error="invalid_token"']);
  await world.set({ tokenSeconds: 0 });
  await client.authenticate();
  assert.equal((await client.putCob(newTxid())).status, 401);
  await world.set({ tokenSeconds: 3600 });
  await client.authenticate();
  assert.equal((await client.putCob(newTxid())).status, 201);
});
