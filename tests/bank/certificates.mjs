// The keys and certificates of one run, made by `openssl` in a folder: the bank's authority, its server, its
// customers, what it calls webhooks with, and a stranger's.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export class Certificates {
  #folder;

  constructor(folder) {
    this.#folder = folder;
  }

  path(name) {
    return join(this.#folder, name);
  }

  read(name) {
    return readFileSync(this.path(name));
  }

  // NAME.pem and NAME.key, which sign others.
  async makeAuthority(name, commonName) {
    await this.#openssl(
      'req',
      '-x509',
      ...this.#newKey(name),
      '-days',
      '30',
      '-out',
      this.path(`${name}.pem`),
      '-subj',
      `/CN=${commonName}`,
    );
  }

  // NAME.pem and NAME.key. usage: serverAuth (on this machine) or clientAuth. Negative days: it has ended.
  async make(name, commonName, authority, usage, days = 30) {
    const request = this.path(`${name}.csr`);
    const extensions = this.path(`${name}.ext`);
    const names = usage === 'serverAuth' ? 'subjectAltName=IP:127.0.0.1,DNS:localhost\n' : '';
    writeFileSync(extensions, `basicConstraints=CA:FALSE\nextendedKeyUsage=${usage}\n${names}`);
    await this.#openssl('req', ...this.#newKey(name), '-out', request, '-subj', `/CN=${commonName}`);
    const by = ['-CA', this.path(`${authority}.pem`), '-CAkey', this.path(`${authority}.key`)];
    const serial = ['-set_serial', `0x${Buffer.from(name).toString('hex')}`];
    const out = ['-extfile', extensions, '-days', String(days), '-out', this.path(`${name}.pem`)];
    await this.#openssl('x509', '-req', '-in', request, ...by, ...serial, ...out);
  }

  // The path of NAME.pfx, or with `isOld` of one that is sealed as banks' files of old are (RC2, 40 bits);
  // null where this openssl cannot.
  async makePfx(name, password, isOld = false) {
    const path = this.path(isOld ? `${name}-old.pfx` : `${name}.pfx`);
    const old = ['-legacy', '-certpbe', 'PBE-SHA1-RC2-40', '-keypbe', 'PBE-SHA1-3DES', '-macalg', 'sha1'];
    const from = ['-in', this.path(`${name}.pem`), '-inkey', this.path(`${name}.key`)];
    try {
      await this.#openssl(
        'pkcs12',
        '-export',
        ...(isOld ? old : []),
        ...from,
        '-out',
        path,
        '-passout',
        `pass:${password}`,
      );
    } catch (error) {
      if (isOld) return null;
      throw error;
    }
    return path;
  }

  #newKey(name) {
    return [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      this.path(`${name}.key`),
    ];
  }

  async #openssl(...options) {
    await run('openssl', options);
  }
}

// What a TLS end takes of one of them.
export const pair = (certificates, name) => ({
  cert: certificates.read(`${name}.pem`),
  key: certificates.read(`${name}.key`),
});
