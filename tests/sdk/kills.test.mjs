// Every SDK sells through kills of the server: nothing is created twice, and the feed is read without a gap.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { interpreters, skipOf } from './interpreters.mjs';
import { World } from './world.mjs';

const run = promisify(execFile);
const world = await World.open();
after(() => world.close());
const count = 120; // PHP sells 60 in the time before one kill
const files = { node: 'sell.mjs', php: 'sell.php', python: 'sell.py' };

// The charges that there are, all pages.
async function charges() {
  const ids = [];
  for await (const { id } of world.client.transactions.listAll()) ids.push(id);
  return ids;
}

for (const [language, file] of Object.entries(files)) {
  test(
    `${language} sells through kills of the server`,
    { skip: await skipOf(language), timeout: 120_000 },
    async () => {
      const before = await charges();
      const env = { ...process.env, URL: world.baseUrl, KEY: world.project.testKey, COUNT: String(count) };
      const selling = run(interpreters[language], [fileURLToPath(new URL(`kills/${file}`, import.meta.url))], { env });
      let isSelling = true;
      const sold = selling.finally(() => {
        isSelling = false;
      });
      let kills = 0;
      while (isSelling && kills < 8) {
        await Promise.race([sold.catch(() => {}), sleep(60)]);
        if (!isSelling) break;
        await world.killServer();
        kills += 1;
      }
      const { ids, seen } = JSON.parse((await sold).stdout);
      assert.ok(kills >= 3, `${kills} kills`);
      assert.equal(new Set(ids).size, count);
      assert.deepEqual((await charges()).sort(), [...before, ...ids].sort());
      assert.deepEqual(seen.slice(-count), ids);
      assert.equal(seen.length, before.length + count);
    },
  );
}
