import { problemAnswer } from '../../../bank/problems.mjs';

const longest = 24 * 3_600_000;

export default {
  what: 'shows a day of its account at a time',
  source: 'https://github.com/bacen/pix-api/issues/436',
  refuse({ operation, query }) {
    if (operation !== 'pix.list') return undefined;
    const length = Date.parse(query.get('fim')) - Date.parse(query.get('inicio'));
    return length > longest ? problemAnswer({ kind: 'PixConsultaInvalida', status: 422 }) : undefined;
  },
};
