// The API server and the worker that speaks to banks die again and again while merchants and payers go on.
// PIXLEDGER_KILLS says how often.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startBank } from './bank.mjs';
import { openMerchant } from './merchant.mjs';
import { openWorld, until as untilSoon } from './world.mjs';

const kills = Number(process.env.PIXLEDGER_KILLS ?? 10);
const merchantsAtOnce = 4;
const lifeMsMax = 400;
// What died has to be there again first, on a machine that may have much else to do.
const until = (look) => untilSoon(look, 60);

const world = openWorld(await startBank());
const shop = await openMerchant(world.told);
const { service } = shop;
after(() => service.stop());
const connectionId = await shop.connect('banco', '--fallback', 'static', '--rate', '1000');
const startWorker = () => shop.startProviders('--polls', '1s:15m');
startWorker();

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// As a merchant's program does: with the same key until there is an answer that is one.
async function send(method, path, body, key) {
  return until(async () => {
    try {
      const answer = await shop.send(method, path, body, key && { 'Idempotency-Key': key });
      return answer.status !== 409 && answer.status !== 429 && answer.status < 500 && answer;
    } catch {
      await pause(20);
      return false;
    }
  });
}
const detail = async (id) => (await send('GET', `/${id}`)).data;

const sold = [];
async function sell(number) {
  const payment = { amountCents: 1000 + number, product: `Pedido ${number}` };
  const order = shop.order({ payment, connectionId });
  const created = await send('POST', '', order, `create-${number}`);
  assert.equal(created.status, 201, JSON.stringify(created));
  const { id, pixCode } = created.data;
  const sale = { id, number, refunded: 0, cancelled: false };
  sold.push(sale);
  if (number % 5 === 4) {
    const { status, code } = await send('POST', `/${id}/cancel`, {}, `cancel-${number}`);
    assert.equal(status, 200, code);
    sale.cancelled = true;
    return;
  }
  [sale.payment] = await world.pay({ code: pixCode });
  await until(async () => (await detail(id)).status === 'paid');
  if (number % 2 === 1) return;
  sale.refunded = number % 4 === 0 ? 1000 + number : 300;
  const asked = await send('POST', `/${id}/refund`, { amountCents: sale.refunded }, `refund-${number}`);
  assert.equal(asked.status, 200, asked.code);
}

test(`${kills} deaths of server and worker lose nothing, and nothing is done twice`, { timeout: 900_000 }, async () => {
  let dying = true;
  let next = 0;
  const merchant = async () => {
    while (dying || next < kills) await sell(next++);
  };
  const merchants = Array.from({ length: merchantsAtOnce }, merchant);
  const allSold = Promise.all(merchants);
  allSold.catch(() => {}); // awaited below, when the deaths are over
  for (let i = 0; i < kills; ++i) {
    await pause(Math.random() * lifeMsMax);
    if (i % 2 === 0) {
      await service.killProviders();
      startWorker();
    } else {
      await service.killServer();
      await service.start();
    }
  }
  dying = false;
  await allSold;

  for (const { id, number, refunded, cancelled, payment } of sold) {
    const shown = await until(async () => {
      const found = await detail(id);
      return found.refunds.every(({ status }) => status !== 'pending') && found;
    });
    const { cobPuts } = await world.drive('GET', '/counters');
    assert.ok((cobPuts[`p${id}`] ?? 0) <= 1, 'one cob at most');
    if (cancelled) {
      assert.equal(shown.status, 'cancelled');
      continue;
    }
    assert.equal(shown.transactionCode, payment.endToEndId);
    assert.equal(shown.paidAmountCents, 1000 + number);
    assert.equal(shown.refundedAmountCents, refunded);
    const { body } = await world.client.call('GET', `/pix/${payment.endToEndId}`);
    const wanted = refunded ? shown.refunds.map((refund) => refund.id) : [];
    assert.equal(wanted.length, refunded ? 1 : 0);
    assert.deepEqual(
      (body.devolucoes ?? []).map((devolucao) => devolucao.id),
      wanted,
    );
  }
  const listed = await send('GET', '?limit=1');
  assert.equal(listed.meta.total, sold.length);
  const verified = await service.pixledger('verify');
  assert.equal(verified.consistent, true);
});
