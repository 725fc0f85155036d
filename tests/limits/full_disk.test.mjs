// File systems without room, and such that are read-only: each cause is named, nothing that was accepted is lost, and all
// goes on by itself as soon as there is room.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Program, Site, SmallDisks, until, workerNames } from './site.mjs';

const full = /no space left on the disk: make room/;
const waits = (cause) => new RegExp(`the system refuses what this program needs; it waits.*${cause.source}`);

const disksOf = async (site) => {
  const disks = await SmallDisks.mounted(site.folder);
  if (disks) site.prefix = disks.prefix;
  return disks;
};
const probe = new Site();
const possible = await disksOf(probe);
possible?.remove();
await probe.remove();
const skip = possible ? false : SmallDisks.refusal;

const suite = (name, body) =>
  describe(name, { skip }, () => {
    const site = new Site();
    const world = { site };
    before(async () => {
      world.disks = await disksOf(site);
    });
    after(async () => {
      await site.remove();
      world.disks.remove();
    });
    body(world);
  });

suite('a full disk under the whole data directory', (world) => {
  const { site } = world;
  let first;
  before(async () => {
    world.disks.mount(site.data, '24m');
    site.createProject();
    await site.startServer();
    for (const name of workerNames) site.startWorker(name);
    first = await site.createPaid();
    for (const name of workerNames) await site.hasRead(name);
  });

  test('makes every write a 503 with the cause', async () => {
    world.disks.fill(site.data);
    const refused = await until(
      () => site.create(),
      ({ status }) => status !== 201,
    );
    assert.equal(refused.status, 503);
    assert.match(refused.body.message, full);
    assert.match((await site.ask('GET', '/readyz')).text, full);
  });
  test('stops no program, nor one that begins to read', async () => {
    for (const path of [`/api/v1/transactions/${first}`, '/api/v1/transactions?limit=1']) {
      const answer = await site.ask('GET', path);
      // Read models that had no room for the last event are not shown as if they had it.
      if (answer.status !== 200) assert.match(answer.text, full);
    }
    const listed = site.command('project', 'list');
    assert.equal(listed.status, 0, listed.stderr);
  });
  test('is told by commands that write, with the file', () => {
    const refused = site.command('project', 'create', '--name', 'Outra');
    assert.equal(refused.status, 3);
    assert.match(refused.stderr, full);
    assert.ok(refused.stderr.includes(site.data), refused.stderr);
  });
  test('is over as soon as there is room: server and workers go on by themselves', async () => {
    world.disks.empty(site.data);
    const id = await site.createPaid();
    for (const name of workerNames) await site.hasRead(name);
    await until(
      () => readdirSync(world.disks.path(join(site.data, 'outbox'))),
      (names) => names.filter((name) => name.endsWith('.eml')).length === 2,
    );
    assert.equal((await site.ask('GET', `/api/v1/transactions/${id}`)).body.data.status, 'paid');
    const verified = site.command('verify');
    assert.equal(verified.status, 0, verified.stdout + verified.stderr);
  });
});

suite('a full disk under the outbox', (world) => {
  const { site } = world;
  let outbox;
  const mails = () => readdirSync(world.disks.path(outbox)).filter((name) => name !== 'filler');
  before(async () => {
    outbox = join(site.data, 'outbox');
    site.createProject();
    world.disks.mount(outbox, '64k');
    await site.startServer();
  });

  test('makes e-mails wait, and no attempt of them is used up', async () => {
    world.disks.fill(outbox);
    const worker = site.startWorker('emails', '--retry-schedule', '0');
    await site.createPaid();
    await worker.says(waits(full));
    assert.match(worker.said, /outbox\/.*\.eml/);
    assert.deepEqual(mails(), []);
  });
  test('lets them out as soon as there is room', async () => {
    world.disks.empty(outbox);
    await until(mails, (names) => names.length === 1 && names[0].endsWith('.eml'));
    assert.doesNotMatch(site.workers[0].said, /given up/);
  });
  test('and one that is read-only does the same', async () => {
    world.disks.remount(outbox, 'ro');
    const worker = site.workers[0];
    const restarted = site.start('pixledger-emails');
    site.workers.push(restarted);
    await worker.stop();
    await site.createPaid();
    await restarted.says(waits(/read-only/));
    world.disks.remount(outbox, 'rw');
    await until(mails, (names) => names.length === 2);
  });
});

suite('a full disk under what a worker keeps', (world) => {
  const { site } = world;
  const posts = [];
  let receiver, workers;
  before(async () => {
    receiver = createServer((request, response) => {
      posts.push(request.headers['x-webhook-id']);
      request.resume().on('end', () => response.end('ok'));
    });
    await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    workers = join(site.data, 'workers');
    site.createProject();
    world.disks.mount(workers, '1m');
    const local = ['--allow-http', '--allow-target', '127.0.0.0/8'];
    await site.startServer(...local);
    const url = `http://127.0.0.1:${receiver.address().port}/`;
    const channel = ['--project', site.project.projectId, '--url', url, '--environments', 'sandbox'];
    const added = site.command('channel', 'add', ...channel, ...local);
    assert.equal(added.status, 0, added.stderr);
    site.startWorker('webhooks', ...local);
    await site.hasRead('webhooks');
  });
  after(() => receiver.close());

  test('holds up its messages, which go out once when there is room', async () => {
    world.disks.fill(workers);
    const [worker] = site.workers;
    let paid = 0;
    for (; !waits(full).test(worker.said); ++paid) await site.createPaid();
    assert.equal(worker.code, undefined);
    world.disks.empty(workers);
    await site.hasRead('webhooks');
    // Both of each charge: it was created, and paid.
    await until(
      () => posts.length,
      (count) => count >= 2 * paid,
    );
    assert.equal(posts.length, 2 * paid);
    assert.equal(new Set(posts).size, 2 * paid);
  });
});

suite('a full disk under a log file', (world) => {
  const { site } = world;
  let logs, log;
  before(async () => {
    logs = site.path('logs');
    log = join(logs, 'server.log');
    site.createProject();
    world.disks.mount(logs, '64k');
  });
  const start = () => {
    const script = 'log=$1; shift; exec "$@" 2>>"$log"';
    const server = join(process.env.PIXLEDGER_BIN_DIR, 'pixledger-server');
    return new Program(...site.prefix, 'sh', '-c', script, 'sh', log, server, ...site.given('--listen', '127.0.0.1:0'));
  };

  test('ends nothing, and how many lines are lost is logged as soon as there is room', async () => {
    world.disks.fill(logs);
    site.server = start();
    const [, port] = await site.server.says(/ready on http:\/\/127\.0\.0\.1:(\d+)/);
    site.url = `http://127.0.0.1:${port}`;
    assert.equal((await site.create()).status, 201);
    world.disks.empty(logs);
    assert.equal(await site.server.stop(), 0);
    const lines = readFileSync(world.disks.path(log), 'utf8').trim().split('\n');
    const told = lines.find((line) => line.includes('log lines could not be written and are lost'));
    assert.ok(JSON.parse(told).count > 0);
  });
});

suite('a full disk under what a command makes', (world) => {
  const { site } = world;
  let small;
  before(async () => {
    small = site.path('small');
    site.createProject();
    await site.startServer();
    site.startWorker('webhooks');
    for (let i = 0; i < 30; ++i) await site.createPaid();
    await site.hasRead('webhooks');
    world.disks.mount(small, '1m');
    world.disks.fill(small);
  });

  test('is told by `backup`, which leaves nothing', () => {
    const refused = site.command('backup', join(small, 'backup'));
    assert.equal(refused.status, 3);
    assert.match(refused.stderr, full);
    assert.ok(refused.stderr.includes(small), refused.stderr);
    assert.deepEqual(readdirSync(world.disks.path(small)), ['filler']);
    world.disks.empty(small);
    const made = site.command('backup', join(small, 'backup'), '--with-keys');
    assert.equal(made.status, 0, made.stderr);
  });
  test('is told by `restore`, which leaves nothing', () => {
    world.disks.fill(small);
    const refused = site.run([], 'pipe', 'restore', join(small, 'backup'), '--data', join(small, 'restored'));
    assert.equal(refused.status, 3, refused.stderr);
    assert.match(refused.stderr, full);
    assert.ok(refused.stderr.includes(small), refused.stderr);
    assert.ok(!readdirSync(world.disks.path(small)).includes('restored'));
  });
});

suite('a file system that is read-only', (world) => {
  const { site } = world;
  before(async () => {
    world.disks.mount(site.data, '24m');
    site.createProject();
    world.disks.remount(site.data, 'ro');
  });

  test('makes a server wait and begin as soon as it may write', async () => {
    site.server = site.start('pixledger-server', '--listen', '127.0.0.1:0');
    await site.server.says(waits(/the file system is read-only/));
    world.disks.remount(site.data, 'rw');
    const [, port] = await site.server.says(/ready on http:\/\/127\.0\.0\.1:(\d+)/);
    site.url = `http://127.0.0.1:${port}`;
    assert.equal((await site.create()).status, 201);
  });
});

suite('a file system that becomes read-only under running programs', (world) => {
  const { site } = world;
  const image = site.path('image');
  const startAll = async () => {
    await site.startServer();
    for (const name of workerNames) site.startWorker(name);
  };
  const stopAll = async () => {
    for (const program of [site.server, ...site.workers.splice(0)]) assert.equal(await program.stop(), 0);
  };
  const hasAllRead = async () => {
    for (const name of workerNames) await site.hasRead(name);
  };
  let first, isMounted;
  before(async () => {
    isMounted = world.disks.mountOnImage(site.data, image);
    if (!isMounted) return;
    site.createProject();
    await startAll();
    first = await site.createPaid();
    await hasAllRead();
  });
  const step = (name, body) =>
    test(name, async (context) => {
      if (!isMounted) return context.skip('no loop device can be mounted here');
      await body();
    });

  step('makes each write a 503 with the cause', async () => {
    // As the kernel does after an error of the disk. Nothing but a new mount makes it writable.
    world.disks.remount(site.data, 'abort');
    for (let i = 0; i < 3; ++i) {
      const refused = await site.create();
      assert.equal(refused.status, 503, refused.text);
      assert.match(refused.body.message, /the file system is read-only/);
    }
    assert.match((await site.ask('GET', '/readyz')).text, /the file system is read-only/);
  });
  step('is no reason to stop reads, nor any program', async () => {
    for (const path of [`/api/v1/transactions/${first}`, '/api/v1/transactions?limit=1', '/api/v1/exports/charges', '/metrics'])
      assert.equal((await site.ask('GET', path)).status, 200, path);
    // Longer than what each does again and again.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    for (const program of [site.server, ...site.workers]) assert.equal(program.code, undefined, program.said);
  });
  step('is named by commands', async () => {
    const refused = site.command('project', 'create', '--name', 'Outra');
    assert.equal(refused.status, 3, refused.stderr);
    assert.match(refused.stderr, /the file system is read-only/);
  });
  step('is over with a new mount, and nothing that was accepted is lost', async () => {
    await stopAll();
    world.disks.unmount(site.data);
    world.disks.mountImage(site.data, image);
    const verified = site.command('verify');
    assert.equal(verified.status, 0, verified.stdout + verified.stderr);
    await startAll();
    assert.equal((await site.ask('GET', `/api/v1/transactions/${first}`)).body.data.status, 'paid');
    await site.createPaid();
    await hasAllRead();
    await stopAll();
    world.disks.unmount(site.data);
  });
});
