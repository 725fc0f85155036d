// The bank itself, behind the TLS end and the proxy: plain HTTP, a bearer token, the operations. Faults of
// the inner side are played here, so that the proxy sees them.
import { answerWith } from './faulty.mjs';
import { LocalServer } from './local_server.mjs';
import { readBody, writeAnswer } from './messages.mjs';
import { route } from './operations.mjs';
import { Problem, jsonAnswer, problemAnswer } from './problems.mjs';
import { repeated } from './repeats.mjs';

function objectOf(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem('RequisicaoInvalida', 'O corpo não é um objeto JSON.');
  return value;
}

// {bank, tokens, faults, journal, tryWebhook}
export class Psp extends LocalServer {
  #parts;

  constructor(parts) {
    super((request, response) => this.#serve(request, response));
    this.#parts = parts;
  }

  async #serve(request, response) {
    const { bank } = this.#parts;
    try {
      writeAnswer(response, await this.#meet(request), bank.now());
    } catch {
      request.socket.destroy(); // the other end went away
    }
  }

  async #meet(request) {
    const { faults, journal, bank, tokens } = this.#parts;
    const url = new URL(request.url, 'http://bank');
    const found = route(request.method, url.pathname);
    const token = tokens.find(request.headers.authorization);
    const taken = faults.take('inner', found?.operation.name, url.pathname);
    const entry = journal.byNumber(Number(request.headers['x-request-number']));
    if (entry) entry.faults.push(...taken.map(({ kind }) => `inner ${kind}`));
    const body = await readBody(request);
    const context = { account: token?.account, params: found?.params, bank };
    return answerWith(taken, context, () => this.#answer(found, token, url.searchParams, body));
  }

  async #answer(found, token, query, body) {
    try {
      if (!found) throw new Problem('NaoEncontrado', 'Esta operação não existe aqui.');
      const { operation, params } = found;
      if (!token?.scopes.includes(operation.scope))
        throw new Problem('AcessoNegado', `O token não tem o escopo ${operation.scope}.`);
      const { bank, tryWebhook } = this.#parts;
      const isRead = operation.method === 'GET' || operation.method === 'DELETE';
      const context = { bank, account: token.account, params, query, tryWebhook };
      if (!isRead) context.body = objectOf(body);
      const again = repeated(operation.name, context);
      if (again) return again;
      const { status, body: answer } = await operation.answer(context);
      return jsonAnswer(status, answer);
    } catch (error) {
      if (error instanceof Problem) return error.answer;
      process.stderr.write(`${error.stack}\n`);
      return problemAnswer({ kind: 'ErroInternoDoServidor', detail: error.message });
    }
  }
}
