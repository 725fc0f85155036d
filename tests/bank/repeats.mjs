// A PUT of a txid or devolução that exists already, where the setting `repeats` wants another answer than the
// document's.
import { jsonAnswer } from './problems.mjs';

const refusals = {
  'cob.put': ['txid_duplicado', 'Campo txid informado já foi utilizado em outra cobrança'],
  'devolucao.put': ['devolucao_id_duplicado', 'Campo id informado já foi utilizado em outra devolução'],
};

// The answer, or undefined where the operation shall do what it does.
export function repeated(name, { bank, account, params: [id, devolucaoId] }) {
  const { repeats } = bank.settings;
  if (repeats === 'document' || !(name in refusals)) return undefined;
  const { cobs, payments } = account;
  const known = name === 'cob.put' ? cobs.find(id) : payments.find(id)?.devolucoes.get(devolucaoId);
  if (!known) return undefined;
  if (repeats === 'same')
    return jsonAnswer(201, name === 'cob.put' ? cobs.shown(known) : payments.shownDevolucao(known));
  const [nome, mensagem] = refusals[name];
  return jsonAnswer(409, { nome, mensagem });
}
