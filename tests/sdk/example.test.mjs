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
    delete env.SHOP_IS_A_TRIAL;
    const example = fileURLToPath(new URL('../../sdk/node/example/shop.mjs', import.meta.url));
    const sell = (more) => promisify(execFile)(process.execPath, [example], { env: { ...env, ...more }, timeout: 60_000 });
    const { stdout } = await sell({ SHOP_IS_A_TRIAL: 'yes' });
    assert.match(stdout, /^pay this: 000201/m);
    assert.match(stdout, /^transaction\.created: Camiseta for Ana Lima$/m);
    assert.match(stdout, /^transaction\.paid: Camiseta for Ana Lima$/m);
    assert.match(stdout, /^deliver: Camiseta$/m);
    // What the sandbox paid is no money.
    const inEarnest = (await sell({})).stdout;
    assert.match(inEarnest, /^not paid here: Camiseta$/m);
    assert.doesNotMatch(inEarnest, /^deliver/m);
  } finally {
    await world.close();
  }
});
