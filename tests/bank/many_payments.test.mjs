// More payments in one window than banks list at once: none is left out.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startBank } from './bank.mjs';
import { openMerchant } from './merchant.mjs';
import { openWorld, until } from './world.mjs';

const minuteMs = 60_000;
const world = openWorld(await startBank({ document: null }));
const merchant = await openMerchant(world.told);
after(() => merchant.service.stop());
const connectionId = await merchant.connect('banco', '--rate', '1000', '--code', 'static');

test('what comes after ten thousand other payments in a window is found', async () => {
  const { id, pixCode } = (await merchant.create({ connectionId })).data;
  const at = (agoMs) => new Date(Date.now() - agoMs).toISOString();
  await world.drive('POST', '/pay-many', { count: 10_000, from: at(14 * minuteMs), to: at(minuteMs) });
  await world.pay({ code: pixCode });
  // The bank's present second is left to the next look.
  merchant.startProviders('--polls', '10s:15m');
  // As long as it takes to look at them all.
  const isPaid = async () => (await merchant.detail(id)).status === 'paid';
  for (let tries = 0; tries < 30 && !(await isPaid()); tries++) await until(isPaid).catch(() => false);
  assert.ok(await isPaid());
  // What is newest is read first, so the rest may be read afterwards.
  const pages = async () =>
    (await world.drive('GET', '/requests')).requests.filter(({ operation }) => operation === 'pix.list').length;
  await until(async () => (await pages()) > 100, 60).catch(async () => assert.fail(`${await pages()} pages were asked for`));
});
