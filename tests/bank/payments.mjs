// Payments received on a key (Pix), and what went back of them (devoluções, asked for here or made by
// others).
import { endToEndIdAt, returnIdAt } from './ids.mjs';
import { centsOf, textOf } from './money.mjs';
import { Problem, Violations } from './problems.mjs';

const day = 86_400_000;
const iso = (ms) => new Date(ms).toISOString();

export class Payments {
  #bank;
  #account;
  #byId = new Map();

  constructor(bank, account) {
    this.#bank = bank;
    this.#account = account;
  }

  // cents; endToEndId, txid, cobTxid (where it pays a cob), at (ms), infoPagador, cpf and cnpj of the payer
  // as wanted.
  add({ cents, endToEndId, txid, cobTxid, at = this.#bank.now(), infoPagador, cpf, cnpj }) {
    const payment = {
      endToEndId: endToEndId ?? endToEndIdAt(at),
      txid,
      cobTxid,
      cents,
      horario: at,
      madeAt: Date.now(),
      infoPagador,
      cpf,
      cnpj,
      devolucoes: new Map(),
    };
    if (!/^[a-zA-Z0-9]{32}$/.test(payment.endToEndId)) throw new Error('endToEndId: 32 letters and digits');
    if (this.#bank.endToEndIds.has(payment.endToEndId)) throw new Error(`${payment.endToEndId} exists`);
    this.#bank.endToEndIds.set(payment.endToEndId, this.#account);
    this.#byId.set(payment.endToEndId, payment);
    return payment;
  }

  // Returns the payment, or undefined.
  find(endToEndId) {
    return this.#byId.get(endToEndId);
  }

  all() {
    return [...this.#byId.values()];
  }

  // The payments that clients can read by now.
  visible() {
    return this.all().filter((payment) => this.#isVisible(payment));
  }

  get(endToEndId) {
    const payment = this.find(endToEndId);
    if (!payment || !this.#isVisible(payment))
      throw new Problem('PixNaoEncontrado', 'Pix não encontrado para o e2eid informado.');
    return payment;
  }

  getDevolucao(endToEndId, id) {
    const found = this.get(endToEndId).devolucoes.get(id);
    if (!found)
      throw new Problem('PixDevolucaoNaoEncontrada', 'Devolução não encontrada para o e2eid informado.');
    return found;
  }

  // Asks for money to be sent back.
  putDevolucao(endToEndId, id, { valor, natureza = 'ORIGINAL', descricao }) {
    const payment = this.get(endToEndId);
    const cents = centsOf(valor);
    const violations = new Violations();
    violations.unless(
      /^[a-zA-Z0-9]{1,35}$/.test(id),
      'devolucao.id',
      'O campo devolucao.id não respeita o _schema_.',
    );
    violations.unless(cents > 0, 'devolucao.valor', 'O campo devolucao.valor não respeita o _schema_.');
    violations.unless(
      natureza === 'ORIGINAL',
      'devolucao.natureza',
      'Um Pix comum é devolvido como ORIGINAL.',
    );
    violations.unless(
      descricao === undefined || (typeof descricao === 'string' && descricao.length <= 140),
      'devolucao.descricao',
      'O campo devolucao.descricao não respeita o _schema_.',
    );
    violations.unless(
      !payment.devolucoes.has(id),
      'devolucao.id',
      'O {id} já foi utilizado por outra requisição de devolução para o {e2eid} em questão.',
    );
    violations.unless(
      cents <= this.left(payment),
      'devolucao.valor',
      'A devolução, em conjunto com as demais prévias devoluções, excederia o valor do pix originário.',
    );
    violations.unless(
      this.#bank.now() - payment.horario <= 90 * day,
      'devolucao',
      'A devolução viola a janela de 90 dias desde a liquidação original do pix.',
    );
    violations.throwAs('PixDevolucaoInvalida');
    const devolucao = this.#addDevolucao(payment, { id, cents, natureza, descricao, at: this.#bank.now() });
    const { settleMs, settleAs } = this.#bank.settings;
    if (settleMs !== null) setTimeout(() => this.settle(payment, devolucao, settleAs), settleMs).unref();
    return devolucao;
  }

  // A return not requested over the API: by the MED, or in the bank's own application. Done at once.
  returnByBank(
    payment,
    { id, cents = this.left(payment), natureza = 'MED_FRAUDE', descricao, at = this.#bank.now() },
  ) {
    if (payment.devolucoes.has(id)) throw new Error(`${id} exists`);
    if (!(cents > 0 && cents <= this.left(payment))) throw new Error(`${textOf(this.left(payment))} is left`);
    const devolucao = this.#addDevolucao(payment, { id, cents, natureza, descricao, at });
    this.settle(payment, devolucao, 'DEVOLVIDO');
    return devolucao;
  }

  // Ends a devolução, unless it has ended.
  settle(payment, devolucao, status, motivo) {
    if (devolucao.status !== 'EM_PROCESSAMENTO') return false;
    devolucao.status = status;
    devolucao.motivo = motivo;
    if (status === 'DEVOLVIDO') devolucao.liquidacao = Math.max(this.#bank.now(), devolucao.solicitacao);
    this.#bank.changed(this.#account, payment);
    return true;
  }

  // What may still be sent back, in cents.
  left(payment) {
    const gone = [...payment.devolucoes.values()].filter(({ status }) => status !== 'NAO_REALIZADO');
    return gone.reduce((sum, { cents }) => sum - cents, payment.cents);
  }

  shown(payment) {
    const devolucoes = [...payment.devolucoes.values()].map((each) => this.shownDevolucao(each));
    return {
      endToEndId: payment.endToEndId,
      txid: payment.txid,
      valor: textOf(payment.cents),
      componentesValor: { original: { valor: textOf(payment.cents) } },
      chave: this.#account.chave,
      horario: iso(payment.horario),
      infoPagador: payment.infoPagador,
      ...(devolucoes.length ? { devolucoes } : {}),
    };
  }

  shownDevolucao({ id, rtrId, cents, natureza, descricao, solicitacao, liquidacao, status, motivo }) {
    const horario = { solicitacao: iso(solicitacao), ...(liquidacao ? { liquidacao: iso(liquidacao) } : {}) };
    return { id, rtrId, valor: textOf(cents), natureza, descricao, horario, status, motivo };
  }

  #isVisible({ madeAt }) {
    return Date.now() - madeAt >= this.#bank.settings.lagMs;
  }

  #addDevolucao(payment, { id, cents, natureza, descricao, at }) {
    const devolucao = {
      id,
      rtrId: returnIdAt(at),
      cents,
      natureza,
      descricao,
      solicitacao: at,
      status: 'EM_PROCESSAMENTO',
    };
    payment.devolucoes.set(id, devolucao);
    return devolucao;
  }
}
