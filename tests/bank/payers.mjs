// What payers do: scan a code, or pay a key by hand.
import { readCode } from './br_code.mjs';
import { centsOf } from './money.mjs';

function demandAmount(amount) {
  const cents = centsOf(amount);
  if (!(cents > 0)) throw new Error(`amount: ${JSON.stringify(amount)} is no amount such as "19.90"`);
  return cents;
}

function timeOf(at) {
  if (at === undefined) return undefined;
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) throw new Error(`at: ${JSON.stringify(at)} is no time`);
  return ms;
}

// Where a code leads: {account, txid, amount}. Of a dynamic one the cob's own amount counts.
export function scan(bank, code) {
  const { location, chave, txid, amount } = readCode(code);
  if (location === undefined) {
    const account = bank.accountOfKey(chave);
    if (!account) throw new Error(`no account with the key ${chave}`);
    return { account, txid, amount };
  }
  const found = bank.locations.find((each) => each.location === location);
  if (!found) throw new Error(`no cob at ${location}`);
  return { account: found.account, txid: found.txid };
}

// Pays; returns the payments. order: txid of a cob or of a static code, or none; amount (else the cob's); at,
// the bank's `horario`; times; endToEndId; reportAs, what the bank gives out as txid (null: nothing); force,
// where a payer's bank would refuse: a cob that is paid, removed or expired; infoPagador, cpf, cnpj.
export function pay(account, order) {
  const { txid, amount, at, times = 1, endToEndId, reportAs = txid, force = false } = order;
  if (!Number.isSafeInteger(times) || times < 1 || times > 1000) throw new Error('times: 1 to 1000');
  if (times > 1 && endToEndId) throw new Error('endToEndId: of one payment only');
  const cob = account.cobs.find(txid);
  if (cob && !force && !account.cobs.isPayable(cob))
    throw new Error(`the cob ${txid} is ${cob.status === 'ATIVA' ? 'expired' : cob.status}; force pays it`);
  const cents = amount === undefined && cob ? account.cobs.amountOf(cob) : demandAmount(amount);
  const { infoPagador, cpf, cnpj } = order;
  const payments = Array.from({ length: times }, () =>
    account.payments.add({
      cents,
      endToEndId,
      txid: reportAs ?? undefined,
      cobTxid: cob?.txid,
      at: timeOf(at),
      infoPagador,
      cpf,
      cnpj,
    }),
  );
  if (cob?.status === 'ATIVA') cob.status = 'CONCLUIDA';
  for (const payment of payments) account.bank.changed(account, payment);
  return payments;
}

// Many payments at once, spread evenly over [from, to] with both ends, without callbacks.
export function payMany(account, { count, from, to, amount = '1.00', txid }) {
  if (!Number.isSafeInteger(count) || count < 1 || count > 1_000_000) throw new Error('count: 1 to 1000000');
  const [first, end] = [timeOf(from), timeOf(to)];
  if (!(first <= end)) throw new Error('from and to: two times in order');
  const cents = demandAmount(amount);
  const step = count > 1 ? (end - first) / (count - 1) : 0;
  return Array.from({ length: count }, (_, i) =>
    account.payments.add({ cents, txid, at: Math.floor(first + i * step) }),
  );
}
