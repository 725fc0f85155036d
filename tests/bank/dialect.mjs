// Answers as some banks give them, beside the document: other statuses, other bodies of errors. Spoken by the
// TLS end alone, so that the proxy sees what the document says.
import { jsonAnswer } from './problems.mjs';

function problemOf({ headers, body }) {
  if (!headers['content-type']?.startsWith('application/problem+json')) return null;
  return JSON.parse(body.toString('utf8'));
}

const snake = (type) =>
  type
    .split('/')
    .at(-1)
    .replace(/(?<!^)([A-Z])/g, '_$1')
    .toLowerCase();

const bodies = {
  efi: (status, { type, detail }) => jsonAnswer(status, { nome: snake(type), mensagem: detail }),
  // 4769515: there is no such thing.
  bb: (status, { detail, type }) => {
    const codigo = /NaoEncontrad[oa]$/.test(type) ? '4769515' : '4769510';
    return jsonAnswer(status, {
      erros: [{ codigo, versao: '1', mensagem: detail, ocorrencia: 'CPQBANK01' }],
    });
  },
  html: (status, { title }) => ({
    status,
    headers: { 'content-type': 'text/html' },
    body: Buffer.from(`<html><body><h1>${title}</h1></body></html>`),
  }),
};

export function inDialect(settings, method, answer) {
  const { createdStatus, patchedStatus, missingStatus, errorBodies } = settings;
  let { status } = answer;
  if (method === 'PUT' && status === 201) status = createdStatus;
  if (method === 'PATCH' && status === 200) status = patchedStatus;
  if (status === 404) status = missingStatus;
  if (status >= 400 && status < 500 && errorBodies !== 'problem') {
    const problem = problemOf(answer);
    if (problem) return bodies[errorBodies](status, problem);
  }
  return { ...answer, status };
}
