import { problemAnswer } from '../../../bank/problems.mjs';

const reach = 31 * 24 * 3_600_000;

export default {
  what: 'shows the last month of its account alone',
  source: 'https://github.com/bacen/pix-api/issues/436',
  refuse({ operation, query, bank }) {
    if (operation !== 'pix.list') return undefined;
    const isTooOld = Date.parse(query.get('inicio')) < bank.now() - reach;
    return isTooOld ? problemAnswer({ kind: 'PixConsultaInvalida' }) : undefined;
  },
};
