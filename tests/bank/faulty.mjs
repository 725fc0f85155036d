// Plays the faults that one request meets.
import { setTimeout as sleep } from 'node:timers/promises';
import { changes, grow, setField } from './changes.mjs';
import { pay } from './payers.mjs';
import { jsonAnswer, problemAnswer } from './problems.mjs';

const page = (status) =>
  `<!DOCTYPE html>\n<html><head><title>${status}</title></head><body><h1>Erro ${status}</h1></body></html>\n`;

// Answers that stand in for the real one.
const standIns = {
  status({ status = 500, retryAfter }) {
    const answer = problemAnswer({
      kind: status === 503 ? 'ServicoIndisponivel' : 'ErroInternoDoServidor',
      status,
      detail: 'Condição inesperada ao processar requisição.',
    });
    if (retryAfter !== undefined) answer.headers['retry-after'] = String(retryAfter);
    return answer;
  },
  html: ({ status = 502 }) => ({
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: Buffer.from(page(status)),
  }),
  problem: ({ status = 400, type = 'RequisicaoInvalida', detail, violacoes }) =>
    problemAnswer({ kind: type, status, detail, violacoes }),
  body: ({ status = 200, contentType = 'application/json', text = '' }) => ({
    status,
    headers: { 'content-type': contentType },
    body: Buffer.from(text),
  }),
};

function changed(answer, fault) {
  const change =
    fault.kind === 'set'
      ? (value) => setField(value, fault.path, fault.value)
      : fault.kind === 'large'
        ? (value) => grow(value, fault.bytes ?? 9 << 20)
        : changes[fault.kind];
  if (!change || answer.status >= 300 || answer.body.length === 0) return answer;
  const value = JSON.parse(answer.body.toString('utf8'));
  change(value);
  return { ...jsonAnswer(answer.status, value), headers: answer.headers };
}

// Who pays: the cob that the request names, whatever its state.
function payNow({ account, params }, fault) {
  if (account?.cobs.find(params?.[0])) pay(account, { txid: params[0], amount: fault.amount, force: true });
}

// What the request is answered with: `produce` makes it, and with it the request's effect. Null: the
// connection is to be dropped. context: {account, params} as far as they are known.
export async function answerWith(taken, context, produce) {
  const at = (moment) =>
    taken.filter(({ kind, when }) => (when ?? (kind === 'cut' ? 'after' : 'before')) === moment);
  for (const fault of at('before')) {
    if (fault.kind === 'delay') await sleep(fault.ms ?? 1000, undefined, { ref: false });
    if (fault.kind === 'pay') payNow(context, fault);
    if (fault.kind === 'drop') return null;
    if (fault.kind in standIns) return standIns[fault.kind](fault);
  }
  let answer = await produce();
  for (const fault of taken) if (answer) answer = changed(answer, fault);
  for (const fault of at('after')) {
    if (fault.kind === 'delay') await sleep(fault.ms ?? 1000, undefined, { ref: false });
    if (fault.kind === 'pay') payNow(context, fault);
    if (fault.kind === 'drop') return null;
    if (fault.kind in standIns) answer = standIns[fault.kind](fault);
    if (fault.kind === 'cut' && answer) answer.cut = true;
  }
  return answer;
}
