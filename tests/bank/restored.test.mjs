// A ledger that is brought back from a backup has forgotten what the bank has not.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startBank } from './bank.mjs';
import { openMerchant } from './merchant.mjs';
import { openWorld, until } from './world.mjs';

const world = openWorld(await startBank({ document: null }));
const merchant = await openMerchant(world.told);
const { service, project, send, detail } = merchant;
after(() => service.stop());
const connectionId = await merchant.connect('banco', '--fallback', 'none', '--code-deadline-ms', '10000');
const startWorker = () => merchant.startProviders('--polls', '1s:15m');
startWorker();

// Its id, once the ledger knows that it was paid.
const paid = async () => {
  const { id, pixCode } = await until(async () => (await merchant.create({ connectionId })).data);
  const [{ endToEndId }] = await world.pay({ code: pixCode });
  await until(async () => (await detail(id)).status === 'paid');
  return { id, endToEndId };
};

test('forgotten refunds come back as the bank’s own, and payments of forgotten charges as unmatched', async () => {
  const { id: known } = await paid();
  const bringBack = await service.backUp();
  const asked = await send('POST', `/${known}/refund`, { amountCents: 990 });
  const refund = asked.data.refunds[0].id;
  await until(async () => (await detail(known)).refundedAmountCents === 990);
  const forgotten = await paid();

  await bringBack();
  assert.equal((await detail(known)).refundedAmountCents, 0);
  service.providersLog = '';
  startWorker();
  const back = await until(async () => {
    const data = await detail(known);
    return data.refundedAmountCents === 990 && data;
  });
  assert.deepEqual(
    back.refunds.map(({ id, origin, status, amountCents }) => ({ id, origin, status, amountCents })),
    [{ id: refund, origin: 'bank', status: 'done', amountCents: 990 }],
  );
  assert.equal((await send('GET', `/${forgotten.id}`)).status, 404);
  const isListed = async () => {
    const items = await service.pixledger('payment', 'list', '--project', project.projectId);
    return items.some(({ endToEndId, state }) => endToEndId === forgotten.endToEndId && state === 'open');
  };
  await until(isListed);
  const told = service.providersLog.match(/what is open at the banks is read anew/g) ?? [];
  assert.equal(told.length, 1);
  // What is new goes its way.
  assert.ok(await paid());
});
