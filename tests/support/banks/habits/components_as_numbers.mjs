// Inter.
export default {
  what: 'writes the components of a value as numbers',
  source: 'https://github.com/frones/ACBr/blob/035b8831ecbed1aaeb09864e8b8139424e585e73/Fontes/ACBrPIXCD/ACBrPIXCD-change-log.txt',
  payment(payment) {
    payment.componentesValor = { original: Number(payment.componentesValor.original.valor) };
  },
};
