// A server that is asked to stop says so before it refuses connections.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Site, until } from './site.mjs';

describe('a server that is asked to stop', () => {
  const site = new Site();
  before(async () => {
    site.createProject();
    await site.startServer('--drain-delay', '30');
  });
  after(() => site.remove());

  test('says 503 in /readyz, and serves what comes meanwhile', async () => {
    site.server.process.kill('SIGTERM');
    const answer = await until(
      () => site.ask('GET', '/readyz'),
      ({ status }) => status !== 200,
    );
    assert.equal(answer.status, 503);
    assert.match(answer.text, /is stopping/);
    const { headers } = await fetch(`${site.url}/healthz`);
    assert.equal(headers.get('connection'), 'close');
    assert.equal((await site.create()).status, 201);
    assert.equal((await site.ask('GET', '/healthz')).status, 200);
  });
  test('ends at once when it is asked again', async () => {
    site.server.process.kill('SIGTERM');
    assert.equal(await site.server.ended, 0);
  });
});

describe('a server without a delay', () => {
  const site = new Site();
  before(async () => {
    site.createProject();
    await site.startServer();
  });
  after(() => site.remove());

  test('ends as it always did', async () => {
    assert.equal(await site.server.stop(), 0);
  });
});
