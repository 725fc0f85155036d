// A broken file takes with it what needs it, and nothing else; and it is named.
import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, openSync, closeSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Site, until } from './site.mjs';

const garble = (file) => {
  const bytes = readFileSync(file);
  bytes.fill(0x5a, 0, Math.min(bytes.length, 8192));
  writeFileSync(file, bytes);
};

describe('damaged accounts', () => {
  const site = new Site();
  let accounts;
  before(async () => {
    accounts = join(site.data, 'accounts/accounts.db');
    site.createProject();
    await site.startServer();
    await site.server.stop();
    copyFileSync(accounts, site.path('kept.db'));
    garble(accounts);
  });
  after(() => site.remove());
  const signIn = () =>
    site.ask('POST', '/api/v1/sign-ins', { email: 'ana@example.com', password: 'a wrong password', totp: '123456' });

  test('do not keep the server from starting, and are named', async () => {
    await site.startServer();
    await site.server.says(/nobody can sign in until the accounts are restored.*accounts\.db is damaged/);
  });
  test('leave keys as they are', async () => {
    assert.equal((await site.create()).status, 201);
  });
  test('keep people from signing in, with words', async () => {
    const answer = await signIn();
    assert.equal(answer.status, 503, answer.text);
    assert.match(answer.body.message, /Nobody can sign in.*restore/);
  });
  test('let people sign in again once they are restored, without a restart', async () => {
    for (const more of ['', '-wal', '-shm']) rmSync(accounts + more, { force: true });
    copyFileSync(site.path('kept.db'), accounts);
    chmodSync(accounts, 0o600);
    assert.notEqual((await signIn()).status, 503);
  });
});

describe('lost accounts', () => {
  const site = new Site();
  let accounts;
  before(async () => {
    accounts = join(site.data, 'accounts/accounts.db');
    site.createProject();
    const invited = site.command('user', 'invite', '--project', site.project.projectId, '--email', 'ana@example.com', '--role', 'owner');
    assert.equal(invited.status, 0, invited.stderr);
  });
  after(() => site.remove());

  for (const [name, lose, words] of [
    ['that were emptied', () => writeFileSync(accounts, ''), /is empty, although the ledger has members/],
    ['that are missing', () => rmSync(accounts), /is missing, although the ledger has members/],
  ])
    test(`${name} are named at the start, and leave keys as they are`, async () => {
      lose();
      await site.startServer();
      const [line] = await site.server.says(/.*nobody can sign in until the accounts are restored.*/);
      assert.match(line, words);
      assert.match(line, /restore it from a backup, or remove it and invite everybody anew/);
      assert.equal((await site.create()).status, 201);
      assert.equal((await site.ask('GET', '/readyz')).status, 200);
      const found = site.command('doctor');
      assert.match(found.stdout, /problem +accounts: .*accounts are lost\n +→ stop the server and restore/);
      await site.server.stop();
    });
});

describe('a damaged file of a worker, of lists, of notes', () => {
  const site = new Site();
  before(async () => {
    site.createProject();
    await site.startAll();
    await site.create();
    await until(
      () => site.ask('GET', '/metrics'),
      ({ text }) => /pixledger_worker_lag_events\{worker="emails"\} 0/.test(text),
    );
    await site.server.stop();
    garble(join(site.data, 'workers/webhooks/deliveries.sqlite'));
    garble(join(site.data, 'workers/emails/emails.sqlite'));
    writeFileSync(join(site.data, 'operations.json'), '\0\0');
    writeFileSync(join(site.data, 'key-uses'), '\0\0');
  });
  after(() => site.remove());

  test('leaves the API as it is', async () => {
    await site.startServer();
    assert.equal((await site.create()).status, 201);
    assert.equal((await site.ask('GET', '/api/v1/transactions?limit=1')).status, 200);
    assert.equal((await site.ask('GET', '/readyz')).status, 200);
    assert.equal((await site.ask('GET', '/metrics')).status, 200);
  });
  test('is named by its worker and by the doctor', () => {
    const found = site.command('doctor');
    assert.equal(found.status, 1);
    assert.match(found.stdout, /deliveries\.sqlite is damaged/);
    assert.match(found.stdout, /emails\.sqlite is damaged/);
  });
});

describe('damaged pages of the log', () => {
  const site = new Site();
  before(async () => {
    site.createProject();
    await site.startServer();
    await site.create();
  });
  after(() => site.remove());

  test('make /readyz say 503 and which event it is', async () => {
    assert.equal((await site.ask('GET', '/readyz')).status, 200);
    const file = join(site.data, 'ledger/data.mdb');
    const bytes = readFileSync(file);
    const opened = openSync(file, 'r+');
    for (let at = bytes.indexOf('Camiseta'); at >= 0; at = bytes.indexOf('Camiseta', at + 1)) writeSync(opened, 'X', at);
    closeSync(opened);
    const answer = await site.ask('GET', '/readyz');
    assert.equal(answer.status, 503, answer.text);
    assert.match(answer.text, /is damaged: the event at position \d+/);
  });
});

describe('a configuration that does not parse', () => {
  const site = new Site();
  after(() => site.remove());

  test('is all that `doctor` tells, with file, line and column, and exit code 2', () => {
    const file = site.path('broken.toml');
    writeFileSync(file, 'data = "/srv/pixledger"\nlisten = "127.0.0.1:\n');
    for (const more of [[], ['--json']]) {
      const found = site.run([], 'pipe', '--config', file, 'doctor', ...more);
      assert.equal(found.status, 2);
      assert.match(found.stdout, /broken\.toml:2:\d+: /);
      assert.doesNotMatch(found.stdout, /pixledger init|no ledger in|does not exist/);
    }
  });
  test('with a key that no program knows is told first, before what else there is', () => {
    site.createProject();
    const file = site.path('unknown.toml');
    writeFileSync(file, `data = "${site.data}"\nlistne = "127.0.0.1:8080"\n`);
    const found = site.run([], 'pipe', '--config', file, 'doctor');
    assert.equal(found.status, 2);
    assert.match(found.stdout, /^problem +configuration: .*unknown\.toml:2:1: /);
    assert.match(found.stdout, /ledger: /);
  });
});

describe('data that others may read', () => {
  const site = new Site();
  before(() => site.createProject());
  after(() => site.remove());

  test('are found by the doctor and named at the start', async () => {
    assert.match(site.command('doctor').stdout, /rights: nobody but the owner/);
    chmodSync(site.data, 0o755);
    chmodSync(join(site.data, 'ledger'), 0o755);
    chmodSync(join(site.data, 'ledger/data.mdb'), 0o644);
    const found = site.command('doctor');
    assert.equal(found.status, 1);
    assert.match(found.stdout, /rights: others may read or write 1 paths.*ledger\/data\.mdb, mode 0644/);
    await site.startServer();
    await site.server.says(/others may read or write data.*ledger\/data\.mdb/);
  });
});

describe('an event that a worker has not read', () => {
  const site = new Site();
  before(async () => {
    site.createProject();
    await site.startAll('--only', 'server,expiry');
    await until(
      () => site.ask('GET', '/metrics'),
      ({ text }) => /pixledger_worker_lag_events\{worker="expiry"\} 0/.test(text),
    );
    await site.server.stop();
  });
  after(() => site.remove());

  test('has its age as a metric, be it the only one', async () => {
    await site.startServer();
    await site.create();
    const { text } = await until(
      () => site.ask('GET', '/metrics'),
      (page) => /pixledger_worker_oldest_unread_age_seconds\{worker="expiry"\} (?!0\n)/.test(page.text),
    );
    assert.match(text, /pixledger_worker_lag_events\{worker="expiry"\} [1-9]/);
  });
});

describe('files of the ledger and its keys', () => {
  const site = new Site();
  let ledger;
  before(async () => {
    ledger = join(site.data, 'ledger');
    site.createProject();
    await site.startServer();
    await site.create();
    await site.server.stop();
  });
  after(() => site.remove());
  // Runs with files replaced, and puts back what was there.
  const replaced = (file, change, work) => {
    const kept = site.path('kept');
    renameSync(file, kept);
    try {
      change(readFileSync(kept));
      work();
    } finally {
      rmSync(file, { recursive: true, force: true });
      renameSync(kept, file);
    }
  };

  test('whose pages are damaged are named by commands, which say what to do', () => {
    const data = join(ledger, 'data.mdb');
    const garbled = (from, to) => (bytes) => writeFileSync(data, bytes.fill(0x5a, from, to), { mode: 0o600 });
    for (const change of [garbled(0, 8192), garbled(8192), () => writeFileSync(data, '', { mode: 0o600 })])
      replaced(data, change, () => {
        const listed = site.command('project', 'list');
        assert.equal(listed.status, 3, listed.stderr);
        assert.ok(listed.stderr.includes(data), listed.stderr);
        assert.match(listed.stderr, /pixledger doctor says what to do/);
        assert.match(site.command('doctor').stdout, /restore the last backup/);
      });
  });
  test('that are keys and missing are named by commands and the doctor with what to do', () => {
    for (const name of ['master.key', 'keyring']) {
      const file = join(site.data, 'keys', name);
      replaced(file, () => {}, () => {
        const refused = site.command('project', 'create', '--name', 'Outra');
        assert.equal(refused.status, 3, refused.stderr);
        assert.match(refused.stderr, new RegExp(`${file} is missing: restore keys/ from its backup`));
        const found = site.command('doctor').stdout;
        assert.match(found, new RegExp(`problem +keys: ${file} is missing\\n +→ restore keys/ from its backup`));
      });
    }
  });
  test('that lock it and are removed under a server are named, and nobody writes beside the server', async () => {
    await site.startServer();
    rmSync(join(ledger, 'lock.mdb'));
    const refused = site.command('project', 'create', '--name', 'Outra');
    assert.equal(refused.status, 3, refused.stderr);
    assert.match(refused.stderr, /lock\.mdb is missing while programs have the database open: stop all programs/);
    const found = site.command('doctor').stdout;
    assert.match(found, /ledger: .*lock\.mdb is missing/);
    assert.doesNotMatch(found, /restore/);
    assert.equal((await site.create()).status, 201);
    await site.server.stop();
    assert.equal(site.command('project', 'create', '--name', 'Outra').status, 0);
    assert.equal(site.command('verify').status, 0);
  });
});
