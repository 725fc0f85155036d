// The documentation's example does what it says.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import net from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { World } from './world.mjs';

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

test('the shop sells one thing and hears that it is paid', async () => {
  const world = await World.open();
  try {
    const port = await freePort();
    const target = ['--allow-http', '--allow-target', '127.0.0.0/8'];
    const channel = ['channel', 'add', '--project', world.project.projectId, '--url', `http://127.0.0.1:${port}/`];
    const { secret } = await world.pixledger(...channel, ...target);
    await world.start('pixledger-webhooks', [...target, '--resume-from', 'beginning'], 'stderr', /at work/);
    const env = {
      ...process.env,
      PIXLEDGER_URL: world.baseUrl,
      PIXLEDGER_KEY: world.project.testKey,
      PIXLEDGER_WEBHOOK_SECRET: secret,
      PORT: String(port),
    };
    const example = fileURLToPath(new URL('../../sdk/node/example/shop.mjs', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [example], { env, timeout: 60_000 });
    assert.match(stdout, /^pay this: 000201/m);
    assert.match(stdout, /^transaction\.created: Camiseta for Ana Lima$/m);
    assert.match(stdout, /^transaction\.paid: Camiseta for Ana Lima$/m);
  } finally {
    await world.close();
  }
});
