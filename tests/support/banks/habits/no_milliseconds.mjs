// Santander.
import { problemAnswer } from '../../../bank/problems.mjs';

export default {
  what: 'refuses windows with milliseconds',
  source: 'https://github.com/frones/ACBr/blob/035b8831ecbed1aaeb09864e8b8139424e585e73/Fontes/ACBrPIXCD/ACBrPIXCD-change-log.txt',
  refuse({ operation, query }) {
    if (operation !== 'pix.list') return undefined;
    const hasFraction = ['inicio', 'fim'].some((name) => query.get(name)?.includes('.'));
    return hasFraction ? problemAnswer({ kind: 'PixConsultaInvalida' }) : undefined;
  },
};
