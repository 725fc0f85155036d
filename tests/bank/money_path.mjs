// The whole way of money through one bank: charges paid in time, late, twice, with another amount, by a static code,
// money that fits no charge, refunds, returns, the bank's own returns, callbacks. In the end every cent that the bank
// has settled is in the ledger, once.
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { startBank } from './bank.mjs';
import { drive } from './customer.mjs';
import { habits as allHabits } from './habits.mjs';
import { openMerchant } from './merchant.mjs';
import { centsOf } from './money.mjs';
import { until as untilSoon } from './world.mjs';

// Long, since all machines are slow at times.
const until = (look) => untilSoon(look, 30);
const price = '19.90';
let worlds = 0;

// psp: the profile of the connections.
export async function runMoneyPath({ habits = [], psp = 'generic' } = {}) {
  const { told, close } = await startBank({ settings: { habits }, document: null });
  const merchant = await openMerchant(told);
  merchant.psp = psp;
  const portFile = join(tmpdir(), `pixledger-money-path-${process.pid}-${(worlds += 1)}`);
  try {
    await new MoneyPath({ told, merchant, portFile, habits }).run();
  } finally {
    await merchant.service.stop();
    await close();
    rmSync(portFile, { force: true });
  }
}

class MoneyPath {
  #told;
  #merchant;
  #portFile;
  #bank;
  #static;
  #charges = [];
  #here; // the payments in the ledger, as last read
  #there; // and those at the bank
  #knowsTimes; // whether what it says of when a payment was made can be believed

  constructor({ told, merchant, portFile, habits }) {
    this.#told = told;
    this.#merchant = merchant;
    this.#portFile = portFile;
    this.#knowsTimes = !habits.some((name) => allHabits.get(name).tellsWrongTimes);
  }

  async run() {
    await this.#connect();
    const stories = await Promise.allSettled([
      this.#paidInTime(),
      this.#paidByStaticCode(),
      this.#paidTwice(),
      this.#paidWithAnotherAmount(),
      this.#paidLate(),
      this.#refunded(),
      this.#takenBackByTheBank(),
      this.#cancelled(),
      this.#fitsNoCharge(),
      this.#fitsNoChargeAndStays(),
    ]);
    for (const { reason } of stories) if (reason) throw reason;
    await until(() => this.#isSame()).catch(() => assert.deepEqual(this.#here, this.#there));
    await this.#merchant.service.print('verify');
  }

  // --- the shop ---

  async #connect() {
    const { service, project } = this.#merchant;
    const { ca, callback } = this.#told;
    const ofCallbacks = ['--callback-cn', callback.commonName];
    const options = [...ofCallbacks, '--rate', '1000', '--code-deadline-ms', '10000', '--fallback', 'none'];
    this.#bank = await this.#merchant.connect('banco', ...options);
    this.#static = await this.#merchant.connect('estatico', ...ofCallbacks, '--code', 'static');
    this.#merchant.startProviders(
      ...['--polls', '1s:15m', '--callback-listen', '127.0.0.1:0', '--callback-port-file', this.#portFile],
      ...['--callback-cert', callback.serverCertificate, '--callback-key', callback.serverKey],
      ...['--callback-client-ca', ca],
    );
    const port = await until(() => {
      try {
        return Number(readFileSync(this.#portFile, 'utf8'));
      } catch {
        return 0; // it is not there yet
      }
    });
    const register = () =>
      service.pixledger(
        ...['connection', 'callback', 'register', '--project', project.projectId, '--connection', this.#bank],
        ...['--url', `https://localhost:${port}`, '--ca-file', ca],
      );
    // A bank that fails now and then may fail here, and an operator tries again.
    await register().catch(register);
    // The worker may be starting still: no request waits for a worker that does not run.
    await until(async () => (await this.#sell()).status === 201);
  }

  #pay = async (order) => (await drive(this.#told, 'POST', '/pay', order)).payments[0];

  async #sell(connectionId = this.#bank) {
    const order = { connectionId, payment: { amountCents: centsOf(price), product: 'Pão de açúcar – 2 × “grande”' } };
    const answer = await this.#merchant.create(order);
    if (answer.status === 201) this.#charges.push(answer.data.id);
    return answer;
  }
  async #sold(connectionId) {
    const answer = await this.#sell(connectionId);
    assert.equal(answer.status, 201, answer.text);
    return answer.data;
  }
  #becomes(id, what) {
    return until(async () => {
      const charge = await this.#merchant.detail(id);
      return what(charge) && charge;
    });
  }
  async #paid() {
    const { id, pixCode } = await this.#sold();
    const payment = await this.#pay({ code: pixCode });
    await this.#becomes(id, ({ status }) => status === 'paid');
    return { id, pixCode, payment };
  }
  #isAside = ({ unappliedPayments }) => unappliedPayments?.length === 1;
  #payments = () =>
    this.#merchant.service.pixledger(
      ...['payment', 'list', '--project', this.#merchant.project.projectId, '--state', 'all'],
    );
  #listed = (endToEndId, what = () => true) =>
    until(async () => (await this.#payments()).find((each) => each.endToEndId === endToEndId && what(each)));

  // --- what payers and the bank do ---

  async #paidInTime() {
    const { id, payment } = await this.#paid();
    assert.equal((await this.#merchant.detail(id)).transactionCode, payment.endToEndId);
    const again = { endToEndIds: [payment.endToEndId], times: 3 };
    const { results } = await drive(this.#told, 'POST', '/callbacks', again);
    for (const { status } of results) assert.equal(status, 200);
  }

  async #paidByStaticCode() {
    const { id, pixCode } = await this.#sold(this.#static);
    await this.#pay({ code: pixCode });
    await this.#becomes(id, ({ status }) => status === 'paid');
  }

  async #paidTwice() {
    const { id, pixCode } = await this.#paid();
    await this.#pay({ code: pixCode, force: true });
    await this.#becomes(id, this.#isAside);
  }

  async #paidWithAnotherAmount() {
    const { id, pixCode } = await this.#sold();
    await this.#pay({ code: pixCode, amount: '20.00' });
    await this.#becomes(id, this.#isAside);
  }

  // The bank's word comes by a callback, since its account is not read into the future.
  async #paidLate() {
    const store = (pixExpirationMinutes) =>
      this.#merchant.service.send({
        method: 'PATCH',
        path: '/api/v1/store',
        headers: { Authorization: `Bearer ${this.#merchant.project.liveKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ pixExpirationMinutes }),
      });
    await store(1);
    const { id, pixCode, expirationDate } = await this.#sold();
    await store(30);
    const at = new Date(Date.parse(expirationDate) + 1_000).toISOString();
    await this.#pay({ code: pixCode, at, force: true });
    await this.#becomes(id, (charge) => this.#isAside(charge) || (!this.#knowsTimes && charge.status === 'paid'));
  }

  async #refunded() {
    const { id, payment } = await this.#paid();
    const asked = await this.#merchant.send('POST', `/${id}/refund`, { amountCents: 990, reason: 'troca' });
    assert.equal(asked.status, 200, asked.text);
    await this.#becomes(id, ({ refunds }) => refunds[0].status === 'done');
    const [{ devolucoes }] = await this.#atBank(payment.endToEndId);
    assert.deepEqual(
      devolucoes.map((each) => each.id),
      [asked.data.refunds[0].id],
    );
  }

  async #takenBackByTheBank() {
    const { id, payment } = await this.#paid();
    await drive(this.#told, 'POST', '/return', { endToEndId: payment.endToEndId, natureza: 'MED_FRAUDE' });
    const { refunds } = await this.#becomes(id, ({ status }) => status === 'refunded');
    assert.deepEqual(
      refunds.map(({ origin, status, amountCents }) => [origin, status, amountCents]),
      [['bank', 'done', 1990]],
    );
  }

  async #cancelled() {
    const { id } = await this.#sold();
    const answer = await until(async () => {
      const found = await this.#merchant.send('POST', `/${id}/cancel`);
      return found.status !== 503 && found;
    });
    assert.equal(answer.data?.status, 'cancelled', answer.text);
    // One who had the code before.
    await this.#pay({ txid: `p${id}`, amount: price, force: true });
    await this.#becomes(id, this.#isAside);
  }

  async #fitsNoCharge() {
    const { endToEndId } = await this.#pay({ amount: '7.50' });
    await this.#listed(endToEndId);
    const { project, service } = this.#merchant;
    await service.pixledger(
      ...['payment', 'close', '--project', project.projectId, '--end-to-end-id', endToEndId, '--send-back'],
    );
    await this.#listed(endToEndId, ({ resolution }) => resolution === 'returned');
    const [{ devolucoes }] = await this.#atBank(endToEndId);
    assert.equal(devolucoes.length, 1);
  }

  async #fitsNoChargeAndStays() {
    const { endToEndId } = await this.#pay({ amount: '3.10', txid: 'PAGAMENTO1' });
    await this.#listed(endToEndId);
  }

  // --- what is so in the end ---

  async #atBank(endToEndId) {
    const { accounts } = await drive(this.#told, 'GET', '/state');
    const { payments } = accounts.find(({ name }) => name === 'client');
    return endToEndId ? payments.filter((each) => each.endToEndId === endToEndId) : payments;
  }

  // settled there = paid + aside + unmatched here, and what went back there went back here: payment by payment.
  async #isSame() {
    const cents = ({ valor }) => centsOf(valor);
    const sum = (list) => list.reduce((all, each) => all + each, 0);
    const there = (await this.#atBank()).map((payment) => {
      const back = (payment.devolucoes ?? []).filter(({ status }) => status === 'DEVOLVIDO');
      return [payment.endToEndId, cents(payment), sum(back.map(cents))];
    });
    const here = [];
    for (const id of this.#charges) {
      const charge = await this.#merchant.detail(id);
      if (charge.paidAmountCents)
        here.push([charge.transactionCode, charge.paidAmountCents, charge.refundedAmountCents ?? 0]);
    }
    // Those that fit no charge, and those that are kept aside at one.
    for (const { endToEndId, amountCents, returnedCents, resolution } of await this.#payments()) {
      if (resolution === 'assigned') continue;
      here.push([endToEndId, amountCents, resolution === 'returned' ? amountCents : (returnedCents ?? 0)]);
    }
    const ordered = (list) => list.sort(([a], [b]) => (a < b ? -1 : 1));
    this.#here = ordered(here);
    this.#there = ordered(there);
    return isDeepStrictEqual(here, there);
  }
}
