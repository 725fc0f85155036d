// What the system refuses: a longer file, address space. Every refusal has its cause, nothing dies, and what waits goes on.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Site, limit, until, workerNames } from './site.mjs';

const mayNotGrow = /a file may not become larger/;
const size = (file) => statSync(file).size;

describe('a server whose files may not become larger', () => {
  const site = new Site();
  let first;
  before(async () => {
    site.createProject();
    await site.startServer();
    first = (await site.create()).body.data.id;
  });
  after(() => site.remove());

  test('refuses what is written with 503 and the cause, and stays up', async () => {
    limit(site.server.pid, `--fsize=${size(join(site.data, 'ledger/data.mdb'))}:`);
    const refused = await until(
      () => site.create(),
      (answer) => answer.status !== 201,
    );
    assert.equal(refused.status, 503);
    assert.match(refused.body.message, mayNotGrow);
    assert.equal(site.server.code, undefined);
  });
  test('goes on answering what is read', async () => {
    assert.equal((await site.ask('GET', `/api/v1/transactions/${first}`)).status, 200);
    assert.equal((await site.ask('GET', '/healthz')).status, 200);
  });
  test('says why in its log and in /readyz', async () => {
    await site.server.says(/commands are refused, nothing of them is done.*a file may not become larger/);
    assert.match((await site.ask('GET', '/readyz')).text, mayNotGrow);
  });
  test('takes what is written as soon as there is room', async () => {
    limit(site.server.pid, '--fsize=unlimited:');
    assert.equal((await site.create()).status, 201);
    assert.equal(await site.server.stop(), 0);
    assert.equal(site.command('verify').status, 0);
  });
});

const limitOf = (bytes) =>
  new RegExp(`a file may not become larger than the file size limit \\(ulimit -f\\) of ${bytes} bytes: raise the limit`);

for (const name of workerNames)
  describe(`${name}: a worker whose files may not become larger`, () => {
    const site = new Site();
    let worker;
    before(async () => {
      site.createProject();
      await site.startServer();
      worker = site.startWorker(name);
      await site.createPaid();
      await site.hasRead(name);
    });
    after(() => site.remove());

    test('names the cause and waits', async () => {
      limit(worker.pid, '--fsize=0:');
      await site.createPaid();
      await worker.says(new RegExp(`"cause":"${limitOf(0).source}`));
      // An e-mail is written before or after the worker's own file, whichever thread comes first.
      assert.match(worker.said, new RegExp(`"fault":"[^"]*${site.data}/(workers/${name}|outbox)/`));
      assert.equal(worker.code, undefined);
    });
    test('goes on when the limit is lifted, and has lost nothing', async () => {
      limit(worker.pid, '--fsize=unlimited:');
      await site.hasRead(name);
      if (name === 'emails')
        await until(
          () => readdirSync(join(site.data, 'outbox')),
          (names) => names.filter((file) => file.endsWith('.eml')).length === 2,
        );
      assert.equal(await worker.stop(), 0);
    });
  });

describe('webhooks that were sent and cannot be recorded', () => {
  const site = new Site();
  const posts = [];
  let channel, receiver, worker;
  before(async () => {
    receiver = createServer((request, response) => {
      posts.push(request.headers['x-webhook-id']);
      if (posts.length === 1) limit(worker.pid, '--fsize=0:');
      request.resume().on('end', () => response.end('ok'));
    });
    await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    site.createProject();
    const local = ['--allow-http', '--allow-target', '127.0.0.0/8'];
    const url = `http://127.0.0.1:${receiver.address().port}/`;
    const wanted = ['--project', site.project.projectId, '--url', url, '--environments', 'sandbox', '--json'];
    const added = site.command('channel', 'add', ...wanted, ...local);
    assert.equal(added.status, 0, added.stderr);
    channel = JSON.parse(added.stdout).channelId;
    await site.startServer(...local);
    worker = site.startWorker('webhooks', ...local);
  });
  after(async () => {
    await site.remove();
    receiver.close();
  });

  test('are not sent again, neither while the worker waits nor after', async () => {
    await site.createPaid();
    await worker.says(limitOf(0));
    limit(worker.pid, '--fsize=unlimited:');
    const { body } = await until(
      () => site.ask('GET', `/api/v1/notification-channels/${channel}/deliveries?limit=100`),
      ({ body: page }) => page.data?.length > 0 && page.data.every(({ status }) => status === 'delivered'),
    );
    assert.equal(posts.length, body.data.length);
    assert.equal(new Set(posts).size, posts.length);
  });
});

describe('commands whose output may not become larger', () => {
  const site = new Site();
  before(async () => {
    site.createProject();
    await site.startServer();
    for (let i = 0; i < 30; ++i) assert.equal((await site.create()).status, 201);
    await site.server.stop();
  });
  after(() => site.remove());

  test('`export` ends with the cause and leaves no half of a table', () => {
    const whole = site.intoFile([], 'whole.csv', 'export', '--format', 'csv');
    assert.equal(whole.status, 0);
    const half = site.intoFile(['--fsize=4096:'], 'half.csv', 'export', '--format', 'csv');
    assert.ok(size(site.path('whole.csv')) > 4096);
    assert.equal(half.status, 3);
    assert.match(half.stderr, mayNotGrow);
    assert.equal(size(site.path('half.csv')), 0);
  });
});

describe('commands whose files may not become larger', () => {
  const site = new Site();
  const whole = site.path('whole');
  const bytes = 40960;
  const limits = [`--fsize=${bytes}:`];
  before(async () => {
    site.createProject();
    await site.startServer();
    site.startWorker('webhooks');
    for (let i = 0; i < 60; ++i) await site.createPaid();
    await site.hasRead('webhooks');
    await site.workers.pop().stop();
    await site.server.stop();
    const made = site.command('backup', whole, '--with-keys');
    assert.equal(made.status, 0, made.stderr);
  });
  after(() => site.remove());
  const check = (refused, folder) => {
    assert.equal(refused.status, 3, refused.stdout + refused.stderr);
    assert.match(refused.stderr, limitOf(bytes));
    assert.ok(refused.stderr.includes(folder), refused.stderr);
  };

  test('`backup` names file and limit, and leaves nothing', () => {
    const folder = site.path('backup');
    check(site.limited(limits, 'backup', folder), folder);
    assert.ok(!existsSync(folder));
    assert.equal(site.command('backup', folder).status, 0);
  });
  test('`backup` that continues one leaves that as it was', () => {
    const before = readdirSync(whole).sort();
    check(site.limited(limits, 'backup', whole, '--with-keys'), whole);
    assert.deepEqual(readdirSync(whole).sort(), before);
    const restored = site.path('of-continued');
    assert.equal(site.run([], 'pipe', 'restore', whole, '--data', restored, '--map-size', '256MiB').status, 0);
  });
  test('`restore` names file and limit, and leaves nothing', () => {
    const folder = site.path('restored');
    check(site.run(limits, 'pipe', 'restore', whole, '--data', folder, '--map-size', '256MiB'), folder);
    assert.ok(!existsSync(folder));
  });
  test('`rebuild` names file and limit, and the read models stay', () => {
    const names = () => readdirSync(join(site.data, 'views')).filter((name) => !name.endsWith('.lock'));
    const before = names();
    check(site.limited(limits, 'projections', 'rebuild'), join(site.data, 'views'));
    assert.deepEqual(names(), before);
  });
  test('commands that write the ledger name file and limit', () => {
    check(site.limited(limits, 'project', 'create', '--name', 'Outra'), join(site.data, 'ledger/data.mdb'));
  });
  test('keys that cannot be written stay as they are', () => {
    const keys = join(site.data, 'keys');
    const before = readdirSync(keys).sort();
    const refused = site.limited(['--fsize=16:'], 'secrets', 'rotate');
    assert.equal(refused.status, 3, refused.stdout + refused.stderr);
    assert.match(refused.stderr, limitOf(16));
    assert.ok(refused.stderr.includes(keys), refused.stderr);
    assert.deepEqual(readdirSync(keys).sort(), before);
    assert.equal(site.command('doctor').status, 0);
  });
  test('evidence of two histories names file and limit, and leaves nothing', () => {
    const other = site.path('other');
    cpSync(site.data, other, { recursive: true });
    const there = ['--data', other, '--map-size', '256MiB'];
    assert.equal(site.run([], 'pipe', 'project', 'create', '--name', 'Outra', ...there).status, 0);
    assert.equal(site.command('project', 'create', '--name', 'Loja 2').status, 0);
    const note = site.run([], 'pipe', 'checkpoint', ...there).stdout;
    const file = site.path('checkpoint');
    writeFileSync(file, note);
    const refused = site.limited(['--fsize=0:'], 'verify', '--structure-only', '--against', file);
    assert.match(refused.stderr, limitOf(0));
    assert.ok(refused.stderr.includes(site.path('two-histories-')), refused.stderr);
    const left = (folder) => readdirSync(folder).filter((name) => name.startsWith('two-histories-'));
    assert.deepEqual(left(site.folder), []);
    const proved = site.command('verify', '--structure-only', '--against', file);
    assert.equal(proved.status, 1, proved.stderr);
    assert.equal(left(site.folder).length, 1);
  });
});

describe('an address space that is too small for the map', () => {
  const site = new Site();
  before(() => site.createProject());
  after(() => site.remove());
  const small = ['--as=2000000000'];
  const given = () => ['--data', site.data, '--map-size', '64GiB'];

  test('is named with --map-size by every command that opens the ledger', () => {
    const refused = site.run(small, 'pipe', ...given(), 'project', 'list');
    assert.equal(refused.status, 3);
    assert.match(refused.stderr, /65536 MiB of address space.*--map-size/);
  });
  test('makes `doctor` advise a smaller --map-size, and no restore', () => {
    const found = site.run(small, 'pipe', ...given(), 'doctor');
    assert.equal(found.status, 1);
    assert.match(found.stdout, /give all programs a smaller --map-size/);
    assert.doesNotMatch(found.stdout, /restore/);
  });
});
