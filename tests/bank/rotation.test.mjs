// Another certificate while charges are made: no request is refused, and no call uses the old one once the new one is in use.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { after, test } from 'node:test';
import { startBank } from './bank.mjs';
import { Certificates } from './certificates.mjs';
import { openMerchant } from './merchant.mjs';
import { openWorld, until } from './world.mjs';

const bank = await startBank();
const world = openWorld(bank);
const { told } = world;
const { journal } = bank.parts;
const merchant = await openMerchant(told);
after(() => merchant.service.stop());
const connection = await merchant.connect('banco', '--fallback', 'none', '--code-deadline-ms', '10000', '--rate', '100');
merchant.startProviders('--polls', '1s:15m');
const named = ['--project', merchant.project.projectId, '--connection', connection];
const run = (command, ...options) => merchant.service.pixledger('connection', command, ...named, ...options);

const serialOf = (file) => new X509Certificate(readFileSync(file)).serialNumber;
const callsWith = (serial) => journal.requestsAfter(0).filter(({ certificate }) => certificate === serial);
const isBanks = (code) => !code.includes(told.client.pixKey);

// Charges without a pause until it is ended, four at a time; then how many were made.
function keepCreating() {
  let isAtWork = true;
  const creator = async () => {
    let created = 0;
    for (; isAtWork; created += 1) {
      const { status, text, data } = await merchant.create({ connectionId: connection });
      assert.equal(status, 201, text);
      assert.ok(isBanks(data.pixCode), data.pixCode);
    }
    return created;
  };
  const creators = Array.from({ length: 4 }, creator);
  return async () => {
    isAtWork = false;
    return (await Promise.all(creators)).reduce((sum, each) => sum + each, 0);
  };
}

async function makeRenewed(name, days) {
  const certificates = new Certificates(dirname(told.ca));
  await certificates.make(name, told.client.commonName, 'ca', 'clientAuth', days);
  return { cert: certificates.path(`${name}.pem`), key: certificates.path(`${name}.key`) };
}

await until(async () => (await merchant.create({ connectionId: connection })).status === 201);

test('a certificate is changed while charges are made, and the old one is used no more', async () => {
  const old = serialOf(told.client.certificate);
  const { cert, key } = await makeRenewed('renewed', 90);
  const renewed = serialOf(cert);
  const finish = keepCreating();
  await until(() => callsWith(old).length > 10);
  await run('rotate', '--cert', cert, '--key', key);
  await until(() => callsWith(renewed).length > 0);
  const taken = callsWith(renewed)[0].number;
  await until(() => callsWith(renewed).length > 20);
  assert.ok((await finish()) > 0);
  // What was under way when the new one was taken up may still end.
  const later = journal.requestsAfter(taken + 8).filter(({ certificate }) => certificate === old);
  assert.deepEqual(later, []);
  const shown = await run('show');
  assert.equal(Date.parse(shown.certificate.endsAt), Date.parse(new X509Certificate(readFileSync(cert)).validTo));
});

test('what does not fit is refused, and the worker goes on with what it has', async () => {
  const { cert } = await makeRenewed('another', 90);
  const ended = await makeRenewed('ended', -1);
  const before = JSON.stringify(await run('show'));
  const refusals = [
    [['--cert', cert, '--key', told.client.key], /key/],
    [['--cert', ended.cert, '--key', ended.key], /end|expired/i],
    [['--pfx', told.client.pfx, '--pfx-password-file', told.client.clientSecretFile], /password/i],
  ];
  for (const [options, reason] of refusals) await assert.rejects(run('rotate', ...options), reason);
  assert.equal(JSON.stringify(await run('show')), before);
  const { status, data } = await merchant.create({ connectionId: connection });
  assert.equal(status, 201);
  assert.ok(isBanks(data.pixCode));
});

test('a PFX, sealed as of old where this openssl can, takes the place of a certificate', async () => {
  const file = told.client.oldPfx ?? told.client.pfx;
  const finish = keepCreating();
  const seen = journal.requestsAfter(0).at(-1).number;
  await run('rotate', '--pfx', file, '--pfx-password-file', told.client.pfxPasswordFile);
  const own = serialOf(told.client.certificate);
  await until(() => journal.requestsAfter(seen).filter(({ certificate }) => certificate === own).length > 10);
  assert.ok((await finish()) > 0);
});
