import { findsNone } from '../../../bank/finds_none.mjs';
import { problemAnswer } from '../../../bank/problems.mjs';

export default {
  what: 'says not found where it finds no payments',
  source: 'https://docs.pagstar.com/reference/tratamento-de-erros',
  family: 'nothing',
  answer: (answer, call) => (findsNone(answer, call) ? problemAnswer({ kind: 'NaoEncontrado' }) : answer),
};
