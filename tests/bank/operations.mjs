// The operations of the API Pix that this bank has, each a row: its name (for faults, counters and the
// journal), how it is called, the scope that it takes, and what it does. An operation gets {bank, account,
// params, query, body} and returns {status, body}, or throws a Problem.
import { readList } from './lists.mjs';
import { Problem, Violations } from './problems.mjs';

const devolucaoPath = /^\/pix\/([^/]+)\/devolucao\/([^/]+)$/;

// The payments of a cob, as far as they may be read.
const paymentsOf = (account, { txid }) =>
  account.payments
    .visible()
    .filter((payment) => payment.cobTxid === txid)
    .map((payment) => account.payments.shown(payment));

const complete = (account, cob, revisao) => account.cobs.shown(cob, paymentsOf(account, cob), revisao);

function putCob({ account, params: [txid], body }) {
  const { cob } = account.cobs.put(txid, body);
  return { status: 201, body: account.cobs.shown(cob) };
}

function patchCob({ account, params: [txid], body }) {
  return { status: 200, body: account.cobs.shown(account.cobs.patch(txid, body)) };
}

function getCob({ account, params: [txid], query }) {
  const revisao = query.get('revisao');
  const cob = account.cobs.get(txid);
  if (revisao !== null && !/^\d{1,9}$/.test(revisao))
    throw new Problem('CobConsultaInvalida', 'O parâmetro revisao não respeita o _schema_.');
  return { status: 200, body: complete(account, cob, revisao === null ? undefined : Number(revisao)) };
}

function listCobs({ bank, account, query }) {
  const flags = { locationPresente: 'boolean' };
  const { filters, parametros, page } = readList(query, bank, 'CobConsultaInvalida', {
    status: 'text',
    ...flags,
  });
  const found = account.cobs.all().filter(({ criacao, status, revisions }) => {
    const { devedor } = revisions.at(-1);
    return (
      criacao >= filters.from &&
      criacao <= filters.to &&
      (!filters.status || status === filters.status) &&
      filters.locationPresente !== false &&
      (!filters.cpf || devedor?.cpf === filters.cpf) &&
      (!filters.cnpj || devedor?.cnpj === filters.cnpj)
    );
  });
  const cobs = page(found, (cob) => complete(account, cob));
  return { status: 200, body: { parametros, cobs } };
}

function listPix({ bank, account, query }) {
  const { filters, parametros, page } = readList(query, bank, 'PixConsultaInvalida', {
    txid: /^[a-zA-Z0-9]{1,35}$/,
    txIdPresente: 'boolean',
    devolucaoPresente: 'boolean',
  });
  const agrees = (wanted, is) => wanted === undefined || wanted === is;
  const found = account.payments
    .visible()
    .filter(
      ({ horario, txid, devolucoes, cpf, cnpj }) =>
        horario >= filters.from &&
        horario <= filters.to &&
        agrees(filters.txid, txid) &&
        agrees(filters.txIdPresente, txid !== undefined) &&
        agrees(filters.devolucaoPresente, devolucoes.size > 0) &&
        agrees(filters.cpf, cpf) &&
        agrees(filters.cnpj, cnpj),
    )
    .sort((a, b) => a.horario - b.horario);
  const pix = page(found, (payment) => account.payments.shown(payment));
  return { status: 200, body: { parametros, pix } };
}

const getPix = ({ account: { payments }, params: [id] }) => ({
  status: 200,
  body: payments.shown(payments.get(id)),
});

function putDevolucao({ account: { payments }, params: [endToEndId, id], body }) {
  // As it was asked for: it may settle at once, but not before the answer.
  return { status: 201, body: payments.shownDevolucao(payments.putDevolucao(endToEndId, id, body)) };
}

const getDevolucao = ({ account: { payments }, params: [endToEndId, id] }) => ({
  status: 200,
  body: payments.shownDevolucao(payments.getDevolucao(endToEndId, id)),
});

const isHttps = (url) => URL.canParse(url) && new URL(url).protocol === 'https:';

async function putWebhook({ bank, account, params: [chave], body, tryWebhook }) {
  const violations = new Violations();
  violations.unless(
    chave === account.chave,
    'chave',
    'O parâmetro {chave} não pertence a este usuário recebedor.',
  );
  violations.unless(
    isHttps(body.webhookUrl),
    'webhook.webhookUrl',
    'Campo webhook.webhookUrl não respeita o _schema_.',
  );
  violations.throwAs('WebhookOperacaoInvalida');
  if (bank.settings.webhookCheck) {
    const refusal = await tryWebhook(account, body.webhookUrl);
    if (refusal) throw new Problem('WebhookOperacaoInvalida', refusal);
  }
  account.webhook = { webhookUrl: body.webhookUrl, criacao: bank.now() };
  return { status: 200 };
}

function webhookOf(account, chave) {
  if (chave !== account.chave || !account.webhook)
    throw new Problem('WebhookNaoEncontrado', 'O webhook denotado por {chave} não encontra-se estabelecido.');
  return account.webhook;
}

function getWebhook({ account, params: [chave] }) {
  const { webhookUrl, criacao } = webhookOf(account, chave);
  return { status: 200, body: { webhookUrl, chave, criacao: new Date(criacao).toISOString() } };
}

function deleteWebhook({ account, params: [chave] }) {
  webhookOf(account, chave);
  account.webhook = null;
  return { status: 204 };
}

function getLocation({ bank, account, params: [id] }) {
  const found = /^\d{1,15}$/.test(id) ? bank.locations[Number(id) - 1] : undefined;
  if (found?.account !== account)
    throw new Problem('PayloadLocationNaoEncontrado', 'Location não encontrada para o id informado.');
  const { location, txid, criacao } = found;
  return {
    status: 200,
    body: { id: found.id, txid, location, tipoCob: 'cob', criacao: new Date(criacao).toISOString() },
  };
}

export const operations = [
  { name: 'cob.put', method: 'PUT', path: /^\/cob\/([^/]+)$/, scope: 'cob.write', answer: putCob },
  { name: 'cob.patch', method: 'PATCH', path: /^\/cob\/([^/]+)$/, scope: 'cob.write', answer: patchCob },
  { name: 'cob.get', method: 'GET', path: /^\/cob\/([^/]+)$/, scope: 'cob.read', answer: getCob },
  { name: 'cob.list', method: 'GET', path: /^\/cob$/, scope: 'cob.read', answer: listCobs },
  { name: 'pix.list', method: 'GET', path: /^\/pix$/, scope: 'pix.read', answer: listPix },
  { name: 'pix.get', method: 'GET', path: /^\/pix\/([^/]+)$/, scope: 'pix.read', answer: getPix },
  { name: 'devolucao.put', method: 'PUT', path: devolucaoPath, scope: 'pix.write', answer: putDevolucao },
  { name: 'devolucao.get', method: 'GET', path: devolucaoPath, scope: 'pix.read', answer: getDevolucao },
  {
    name: 'webhook.put',
    method: 'PUT',
    path: /^\/webhook\/([^/]+)$/,
    scope: 'webhook.write',
    answer: putWebhook,
  },
  {
    name: 'webhook.get',
    method: 'GET',
    path: /^\/webhook\/([^/]+)$/,
    scope: 'webhook.read',
    answer: getWebhook,
  },
  {
    name: 'webhook.delete',
    method: 'DELETE',
    path: /^\/webhook\/([^/]+)$/,
    scope: 'webhook.write',
    answer: deleteWebhook,
  },
  {
    name: 'loc.get',
    method: 'GET',
    path: /^\/loc\/([^/]+)$/,
    scope: 'payloadlocation.read',
    answer: getLocation,
  },
];

export const scopes = [...new Set(operations.map(({ scope }) => scope))];

// {operation, params}, or undefined where there is no such operation. `path` is without what stands before
// the API's own.
export function route(method, path) {
  for (const operation of operations) {
    const found = operation.method === method && operation.path.exec(path);
    if (!found) continue;
    try {
      return { operation, params: found.slice(1).map(decodeURIComponent) };
    } catch {
      return undefined; // broken percent encoding
    }
  }
  return undefined;
}
