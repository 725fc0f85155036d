// A bank for tests: Banco Central's API Pix 2.9.0 with a memory, behind TLS with client certificates, with
// faults and a control API. README.md says how to start and drive it; `startBank` is the same from inside a
// Node test.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BankState } from './bank_state.mjs';
import { Callbacks } from './callbacks.mjs';
import { Certificates, pair } from './certificates.mjs';
import { Control } from './control.mjs';
import { findDocument, withoutDocument } from './document.mjs';
import { Faults } from './faults.mjs';
import { secret } from './ids.mjs';
import { Journal } from './journal.mjs';
import { Prism } from './prism.mjs';
import { Psp } from './psp.mjs';
import { TlsEnd } from './tls_end.mjs';
import { Tokens } from './tokens.mjs';

const pfxPassword = 'senha do arquivo';
// Two customers of one bank, so that one can aim at the other.
const customers = [
  {
    name: 'client',
    commonName: 'loja.example',
    chave: 'loja@bank.example',
    merchantName: 'Minha Loja',
    merchantCity: 'RECIFE',
  },
  {
    name: 'other',
    commonName: 'outra.example',
    chave: '+5581999998888',
    merchantName: 'Outra Loja',
    merchantCity: 'OLINDA',
  },
];
const callbackName = 'callback.bank.example';

async function makeCertificates(folder) {
  const certificates = new Certificates(folder);
  await Promise.all([
    certificates.makeAuthority('ca', 'Autoridade do banco'),
    certificates.makeAuthority('stranger-ca', 'Autoridade desconhecida'),
  ]);
  await Promise.all([
    certificates.make('server', 'localhost', 'ca', 'serverAuth'),
    certificates.make('merchant-server', 'localhost', 'ca', 'serverAuth'),
    certificates.make('callback', callbackName, 'ca', 'clientAuth'),
    certificates.make('stranger', callbackName, 'stranger-ca', 'clientAuth'),
    certificates.make('expired', customers[0].commonName, 'ca', 'clientAuth', -1),
    ...customers.map(({ name, commonName }) => certificates.make(name, commonName, 'ca', 'clientAuth')),
  ]);
  return certificates;
}

// What a customer got from the bank: where its files are, and who it is.
async function described(certificates, { name, clientId, clientSecret, chave, commonName }) {
  const write = (file, text) => {
    writeFileSync(certificates.path(file), text, { mode: 0o600 });
    return certificates.path(file);
  };
  const [pfx, oldPfx] = await Promise.all(
    [false, true].map((isOld) => certificates.makePfx(name, pfxPassword, isOld)),
  );
  return {
    clientId,
    clientSecret,
    clientSecretFile: write(`${name}.secret`, clientSecret),
    pixKey: chave,
    commonName,
    certificate: certificates.path(`${name}.pem`),
    key: certificates.path(`${name}.key`),
    pfx,
    oldPfx,
    pfxPassword,
    pfxPasswordFile: write(`${name}.password`, pfxPassword),
  };
}

// settings: as PATCH /settings takes them. document: a path, or null for none. Resolves to {told, parts,
// close}: what the program prints, the inside, and the end, which gives the violations of the run.
export async function startBank({ settings = {}, document = findDocument() } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pixledger-bank-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const certificates = await makeCertificates(folder);

  const bank = new BankState(
    settings,
    customers.map((each) => ({ ...each, clientId: `id-${each.name}-${secret(4)}`, clientSecret: secret() })),
  );
  const parts = { bank, faults: new Faults(), journal: new Journal(), tokens: new Tokens(bank) };
  parts.callbacks = new Callbacks(bank, certificates);
  parts.tryWebhook = (account, url) => parts.callbacks.refusalOf(url);

  const psp = new Psp(parts);
  const pspPort = await psp.listen();
  const prism = document === null ? null : new Prism();
  if (prism) {
    process.once('exit', () => prism.close());
    await prism.start(document, pspPort, folder).catch((error) => {
      psp.close();
      throw error;
    });
  }
  const tls = { ...pair(certificates, 'server'), ca: certificates.read('ca.pem') };
  parts.tlsEnd = new TlsEnd(parts, tls, prism?.port ?? pspPort);
  const control = new Control(parts);
  const ports = {
    tls: await parts.tlsEnd.listen(),
    control: await control.listen(),
    psp: pspPort,
    prism: prism?.port ?? null,
  };
  const [client, other] = await Promise.all(bank.accounts.map((account) => described(certificates, account)));
  const told = {
    baseUrl: `https://127.0.0.1:${ports.tls}/api/v2`,
    tokenUrl: `https://127.0.0.1:${ports.tls}/oauth/token`,
    controlUrl: `http://127.0.0.1:${ports.control}`,
    ports,
    document,
    ca: certificates.path('ca.pem'),
    client,
    other,
    // The client's, which has ended.
    expired: { certificate: certificates.path('expired.pem'), key: certificates.path('expired.key') },
    // The webhook's end: whom to let in, and a certificate that the bank trusts.
    callback: {
      ca: certificates.path('ca.pem'),
      commonName: callbackName,
      serverCertificate: certificates.path('merchant-server.pem'),
      serverKey: certificates.path('merchant-server.key'),
    },
  };

  const close = async () => {
    await parts.tlsEnd.stop();
    control.close();
    prism?.close();
    psp.close();
    removeFolder();
    process.removeListener('exit', removeFolder);
    return parts.journal.violations();
  };
  return { told, parts, close };
}

async function main() {
  const { values } = parseArgs({
    options: {
      settings: { type: 'string', default: '{}' },
      'no-document': { type: 'boolean', default: false },
      'until-input-ends': { type: 'boolean', default: false },
    },
  });
  const document = values['no-document'] ? null : findDocument();
  if (document === null) process.stderr.write(`${withoutDocument}\n`);
  const { told, close } = await startBank({ settings: JSON.parse(values.settings), document });
  process.stdout.write(`${JSON.stringify(told)}\n`);
  const end = async () => {
    const violations = await close();
    process.stdout.write(`${JSON.stringify({ violations })}\n`);
    process.exit(violations.length > 0 ? 1 : 0);
  };
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, end);
  if (values['until-input-ends']) process.stdin.resume().once('end', end);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    process.stderr.write(`bank: ${error.message}\n`);
    process.exitCode = 2;
    process.exit();
  });
}
