// What tests drive the bank with: JSON over plain HTTP, on a port of its own. README.md lists it.
import { secret } from './ids.mjs';
import { LocalServer } from './local_server.mjs';
import { readBody } from './messages.mjs';
import { centsOf } from './money.mjs';
import { pay, payMany, scan } from './payers.mjs';
import { table } from './settings.mjs';

const shownPayment = (account, payment) => ({
  ...account.payments.shown(payment),
  account: account.name,
  left: account.payments.left(payment),
});

function stateOf({ bank }) {
  return bank.accounts.map((account) => ({
    name: account.name,
    chave: account.chave,
    webhook: account.webhook,
    cobs: account.cobs.all().map((cob) => account.cobs.shown(cob)),
    payments: account.payments.all().map((payment) => shownPayment(account, payment)),
  }));
}

function payAs({ bank }, { account, code, ...order }) {
  if (code === undefined) {
    const owner = bank.accountNamed(account ?? 'client');
    return { owner, order };
  }
  const { account: owner, txid, amount } = scan(bank, code);
  return { owner, order: { amount, ...order, txid } };
}

function payment({ bank }, endToEndId) {
  const account = bank.endToEndIds.get(endToEndId);
  if (!account) throw new Error(`no payment ${endToEndId}`);
  return { account, found: account.payments.find(endToEndId) };
}

function settle(parts, { endToEndId, id, status = 'DEVOLVIDO', motivo }) {
  const { account, found } = payment(parts, endToEndId);
  const devolucao = found.devolucoes.get(id);
  if (!devolucao) throw new Error(`no devolução ${id} of ${endToEndId}`);
  if (!['DEVOLVIDO', 'NAO_REALIZADO'].includes(status)) throw new Error(`status: ${status} is no end`);
  if (!account.payments.settle(found, devolucao, status, motivo))
    throw new Error(`${id} is ${devolucao.status}`);
  return account.payments.shownDevolucao(devolucao);
}

function returned(parts, { endToEndId, id, amount, natureza, descricao, at }) {
  const { account, found } = payment(parts, endToEndId);
  const devolucao = account.payments.returnByBank(found, {
    id: id ?? `MED${secret(8)}`,
    cents: amount === undefined ? undefined : centsOf(amount),
    natureza,
    descricao,
    at: at === undefined ? undefined : Date.parse(at),
  });
  return account.payments.shownDevolucao(devolucao);
}

// Method and path → what it does with ({parts}, body, query); what it returns is the answer.
const commands = {
  'GET /state': (parts) => ({ accounts: stateOf(parts) }),
  'GET /counters': ({ journal }) => journal.counters,
  'GET /requests': ({ journal }, body, query) => ({
    requests: journal.requestsAfter(Number(query.get('after') ?? 0)),
  }),
  'GET /violations': ({ journal }) => ({ violations: journal.violations(), all: journal.allViolations() }),
  'GET /settings': ({ bank }) => bank.settings,
  'PATCH /settings': ({ bank }, changes) => {
    bank.settings.change(changes);
    return bank.settings;
  },
  'GET /faults': ({ faults }) => ({ faults: faults.all() }),
  'POST /faults': ({ faults }, list) => {
    faults.add(Array.isArray(list) ? list : [list]);
    return { faults: faults.all() };
  },
  'DELETE /faults': ({ faults }) => {
    faults.clear();
    return { faults: [] };
  },
  'POST /pay': (parts, body) => {
    const { owner, order } = payAs(parts, body);
    return { payments: pay(owner, order).map((each) => shownPayment(owner, each)) };
  },
  'POST /pay-many': ({ bank }, { account = 'client', ...order }) => {
    const made = payMany(bank.accountNamed(account), order);
    return { count: made.length, first: made[0].endToEndId, last: made.at(-1).endToEndId };
  },
  'POST /settle': settle,
  'POST /return': returned,
  'GET /callbacks': ({ callbacks }) => ({ sent: callbacks.sent }),
  'POST /callbacks': async ({ bank, callbacks }, { account = 'client', ...order }) => ({
    results: await callbacks.order({ ...order, account: bank.accountNamed(account) }),
  }),
  'POST /revoke-tokens': ({ tokens }) => {
    tokens.revokeAll();
    return {};
  },
  'POST /stop': async ({ tlsEnd }) => {
    await tlsEnd.stop();
    return {};
  },
  'POST /start': async ({ tlsEnd }) => ({ port: await tlsEnd.listen() }),
};

const help = { commands: Object.keys(commands), settings: table };

export class Control extends LocalServer {
  #parts;

  constructor(parts) {
    super((request, response) => this.#serve(request, response));
    this.#parts = parts;
  }

  async #serve(request, response) {
    const answer = (status, value) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify(value)}\n`);
    };
    try {
      const url = new URL(request.url, 'http://bank');
      const command = commands[`${request.method} ${url.pathname}`];
      if (!command) {
        answer(404, { error: 'no such command', ...help });
        return;
      }
      const text = await readBody(request);
      answer(200, await command(this.#parts, text ? JSON.parse(text) : {}, url.searchParams));
    } catch (error) {
      answer(400, { error: error.message });
    }
  }
}
