// Immediate charges (cob): made, revised, removed, read. An expired one stays ATIVA, as the document has it.
import { dynamicCode } from './br_code.mjs';
import { centsOf } from './money.mjs';
import { Problem, Violations } from './problems.mjs';

const txidForm = /^[a-zA-Z0-9]{26,35}$/;
const revisable = ['calendario', 'devedor', 'valor', 'chave', 'solicitacaoPagador', 'infoAdicionais'];

const isText = (value, max) => typeof value === 'string' && value.length <= max;
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function isDebtor(devedor) {
  if (!isObject(devedor) || !isText(devedor.nome, 200)) return false;
  if ('cpf' in devedor === 'cnpj' in devedor) return false;
  return 'cpf' in devedor ? /^\d{11}$/.test(devedor.cpf) : /^[0-9A-Z]{14}$/.test(devedor.cnpj);
}

const isNote = (note) => isObject(note) && isText(note.nome, 50) && isText(note.valor, 200);

// The fields of a PUT or PATCH that are there, held to the document's rules.
function check(body, account, violations) {
  const { calendario, valor, chave, devedor, solicitacaoPagador, infoAdicionais } = body;
  if (calendario !== undefined) {
    const { expiracao = 86400 } = isObject(calendario) ? calendario : { expiracao: null };
    violations.unless(
      Number.isSafeInteger(expiracao) && expiracao > 0,
      'cob.calendario.expiracao',
      'O campo cob.calendario.expiracao é igual ou menor que zero.',
    );
  }
  if (valor !== undefined) {
    const cents = centsOf(valor?.original);
    const about = 'cob.valor.original';
    if (violations.unless(cents !== null, about, 'O campo cob.valor.original não respeita o _schema_.'))
      violations.unless(cents > 0, about, 'O campo cob.valor.original é zero.');
  }
  if (
    chave !== undefined &&
    violations.unless(isText(chave, 77), 'cob.chave', 'O campo cob.chave não respeita o _schema_.')
  )
    violations.unless(
      chave === account.chave,
      'cob.chave',
      'O campo cob.chave corresponde a uma conta que não pertence a este usuário recebedor.',
    );
  violations.unless(
    devedor === undefined || isDebtor(devedor),
    'cob.devedor',
    'O objeto cob.devedor não respeita o _schema_.',
  );
  violations.unless(
    solicitacaoPagador === undefined || isText(solicitacaoPagador, 140),
    'cob.solicitacaoPagador',
    'O campo solicitacaoPagador não respeita o _schema_.',
  );
  violations.unless(
    infoAdicionais === undefined ||
      (Array.isArray(infoAdicionais) && infoAdicionais.length <= 50 && infoAdicionais.every(isNote)),
    'cob.infoAdicionais',
    'O objeto infoAdicionais não respeita o _schema_.',
  );
}

export class Cobs {
  #bank;
  #account;
  #byTxid = new Map(); // → {txid, criacao, status, loc, revisions: [the revisable fields of each]}

  constructor(bank, account) {
    this.#bank = bank;
    this.#account = account;
  }

  // Returns the cob, or undefined.
  find(txid) {
    return this.#byTxid.get(txid);
  }

  all() {
    return [...this.#byTxid.values()];
  }

  get(txid) {
    const cob = this.find(txid);
    if (!cob) throw new Problem('CobNaoEncontrado', 'Cobrança não encontrada para o txid informado.');
    return cob;
  }

  // {cob, isNew}.
  put(txid, body) {
    const violations = new Violations();
    violations.unless(txidForm.test(txid), 'cob.txid', 'O campo cob.txid não respeita o _schema_.');
    for (const name of ['calendario', 'valor', 'chave'])
      violations.unless(body[name] !== undefined, `cob.${name}`, `O campo cob.${name} é obrigatório.`);
    check(body, this.#account, violations);
    const known = this.find(txid);
    this.#checkLocation(body.loc, known, violations);
    violations.throwAs('CobOperacaoInvalida');
    if (known) return { cob: this.#alter(known, body), isNew: false };
    const cob = {
      txid,
      criacao: this.#bank.now(),
      status: 'ATIVA',
      loc: this.#bank.newLocation(this.#account, txid),
      revisions: [this.#fields(body)],
    };
    this.#byTxid.set(txid, cob);
    return { cob, isNew: true };
  }

  patch(txid, body) {
    const cob = this.get(txid);
    const violations = new Violations();
    check(body, this.#account, violations);
    this.#checkLocation(body.loc, cob, violations);
    const { status, ...others } = body;
    violations.unless(
      status === undefined || status === 'REMOVIDA_PELO_USUARIO_RECEBEDOR',
      'cob.status',
      'O campo cob.status não respeita o _schema_.',
    );
    violations.unless(
      status === undefined || Object.keys(others).length === 0,
      'cob.status',
      'Não faz sentido remover uma cobrança ao mesmo tempo em que se realizam alterações.',
    );
    violations.throwAs('CobOperacaoInvalida');
    if (status === undefined) return this.#alter(cob, body);
    this.#demandActive(cob);
    cob.status = status;
    cob.revisions.push(cob.revisions.at(-1));
    return cob;
  }

  // Whether a payer's bank would let it be paid.
  isPayable(cob) {
    return (
      cob.status === 'ATIVA' &&
      this.#bank.now() < cob.criacao + cob.revisions.at(-1).calendario.expiracao * 1000
    );
  }

  amountOf(cob) {
    return centsOf(cob.revisions.at(-1).valor.original);
  }

  // As CobGerada, or with `pix` as CobCompleta.
  shown(cob, pix, revisao = cob.revisions.length - 1) {
    const fields = cob.revisions[revisao];
    if (!fields)
      throw new Problem('CobConsultaInvalida', 'O parâmetro revisao corresponde a uma revisão inexistente.');
    const { id, location, criacao } = cob.loc;
    return {
      ...fields,
      calendario: { criacao: new Date(cob.criacao).toISOString(), ...fields.calendario },
      txid: cob.txid,
      revisao,
      loc: { id, location, tipoCob: 'cob', criacao: new Date(criacao).toISOString() },
      location,
      status: cob.status,
      pixCopiaECola: dynamicCode(location, {
        cents: this.#bank.settings.amountInCode ? centsOf(fields.valor.original) : undefined,
        name: this.#account.merchantName,
        city: this.#account.merchantCity,
      }),
      ...(pix?.length ? { pix } : {}),
    };
  }

  #fields(body) {
    const fields = Object.fromEntries(
      revisable.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
    );
    return { ...fields, calendario: { expiracao: 86400, ...fields.calendario } };
  }

  // A revision where anything becomes another.
  #alter(cob, body) {
    const last = cob.revisions.at(-1);
    const next = { ...last };
    for (const name of revisable) {
      if (body[name] === undefined) continue;
      next[name] = isObject(body[name]) && name !== 'devedor' ? { ...last[name], ...body[name] } : body[name];
    }
    if (JSON.stringify(next) === JSON.stringify(last)) return cob;
    this.#demandActive(cob);
    cob.revisions.push(next);
    return cob;
  }

  #demandActive(cob) {
    if (cob.status !== 'ATIVA')
      throw new Problem(
        'CobOperacaoInvalida',
        'A cobrança não está ATIVA, e a presente requisição busca alterá-la.',
      );
  }

  // Locations are made with their cobs, so a cob may name none but its own.
  #checkLocation(loc, cob, violations) {
    if (loc === undefined) return;
    const found = Number.isSafeInteger(loc?.id) ? this.#bank.locations[loc.id - 1] : undefined;
    if (violations.unless(found, 'cob.loc.id', 'O location referenciado por loc.id inexiste.'))
      violations.unless(
        found.txid === cob?.txid,
        'cob.loc.id',
        'O location referenciado por loc.id já está sendo utilizado por outra cobrança.',
      );
  }
}
