// What the system refuses: a longer file, address space. Every refusal has its cause, nothing dies, and what waits goes on.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Site, limit, until } from './site.mjs';

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

describe('an address space that is too small for the map', () => {
  const site = new Site();
  before(() => site.createProject());
  after(() => site.remove());
  const small = ['--as=2000000000'];
  const given = () => ['--data', site.data, '--map-size', '64GiB'];

  test('is named with --map-size by whoever opens the ledger', () => {
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
