import { centsOf } from '../../../bank/money.mjs';
import { pay } from '../../../bank/payers.mjs';
import { jsonAnswer } from '../../../bank/problems.mjs';

// Clients report that 0.01 is never sent back there.
export default {
  what: 'pays charges up to 10.00 by itself, and never sends back 0.01',
  source: 'https://dev.efipay.com.br/docs/api-pix/cobrancas-imediatas/',
  refuse({ operation, body }) {
    if (operation !== 'devolucao.put' || body?.valor !== '0.01') return undefined;
    return jsonAnswer(400, { nome: 'valor_invalido', mensagem: 'Devolução não permitida.' });
  },
  cob(cob, { operation, account, body }) {
    const isMade = operation === 'cob.put' && cob.status === 'ATIVA';
    if (isMade && centsOf(body.valor.original) <= 1_000) pay(account, { txid: cob.txid });
  },
};
