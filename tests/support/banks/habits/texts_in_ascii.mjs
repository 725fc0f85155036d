import { problemAnswer } from '../../../bank/problems.mjs';

export default {
  what: 'refuses texts for payers that are not plain ASCII',
  source: 'https://github.com/bacen/pix-api/issues/509',
  refuse({ operation, body }) {
    if (operation !== 'cob.put' || /^[\x20-\x7e]*$/.test(body?.solicitacaoPagador ?? '')) return undefined;
    const violacoes = [{ razao: 'Caracteres inválidos.', propriedade: 'cob.solicitacaoPagador' }];
    return problemAnswer({ kind: 'CobOperacaoInvalida', violacoes });
  },
};
