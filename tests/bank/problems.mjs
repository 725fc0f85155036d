// Errors as the document has them: RFC 7807, with its types. Thrown by operations, answered by the bank.
const base = 'https://pix.bcb.gov.br/api/v2/error/';

const kinds = {
  RequisicaoInvalida: [400, 'Requisição inválida.'],
  AcessoNegado: [403, 'Acesso Negado'],
  NaoEncontrado: [404, 'Não Encontrado'],
  ErroInternoDoServidor: [500, 'Erro interno do servidor.'],
  ServicoIndisponivel: [503, 'Serviço Indisponível'],
  CobNaoEncontrado: [404, 'Cobrança não encontrada.'],
  CobOperacaoInvalida: [400, 'Cobrança inválida.'],
  CobConsultaInvalida: [400, 'Consulta inválida.'],
  PayloadLocationNaoEncontrado: [404, 'Location não encontrada.'],
  PixNaoEncontrado: [404, 'Pix não encontrado.'],
  PixConsultaInvalida: [400, 'Consulta inválida.'],
  PixDevolucaoNaoEncontrada: [404, 'Devolução não encontrada.'],
  PixDevolucaoInvalida: [400, 'Devolução inválida.'],
  WebhookNaoEncontrado: [404, 'Webhook não encontrado.'],
  WebhookOperacaoInvalida: [400, 'Webhook inválido.'],
};

// The answer, of one of the kinds or of any other that a fault wants.
export function problemAnswer({ kind = 'RequisicaoInvalida', status, detail, violacoes }) {
  const [usual, title] = kinds[kind] ?? [400, 'Erro.'];
  const body = { type: base + kind, title, status: status ?? usual, detail: detail ?? title };
  if (violacoes?.length) body.violacoes = violacoes;
  return jsonAnswer(body.status, body, 'application/problem+json');
}

export function jsonAnswer(status, body, type = 'application/json') {
  if (body === undefined) return { status, headers: {}, body: Buffer.alloc(0) };
  return { status, headers: { 'content-type': type }, body: Buffer.from(JSON.stringify(body)) };
}

export class Problem extends Error {
  // violacoes: {propriedade, razao, valor?}.
  constructor(kind, detail, violacoes = []) {
    super(detail ?? kind);
    this.answer = problemAnswer({ kind, detail, violacoes });
  }
}

// What is wrong with a request, gathered so that the answer names all of it.
export class Violations {
  #found = [];

  unless(holds, propriedade, razao) {
    if (!holds) this.#found.push({ propriedade, razao });
    return holds;
  }

  throwAs(kind) {
    if (this.#found.length > 0) throw new Problem(kind, undefined, this.#found);
  }
}
