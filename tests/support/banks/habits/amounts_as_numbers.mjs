// BS2.
export default {
  what: 'writes amounts as numbers',
  source: 'https://devs.bs2.com/docs/return-pix',
  payment(payment) {
    payment.valor = Number(payment.valor);
  },
  devolucao(devolucao) {
    devolucao.valor = Number(devolucao.valor);
  },
  cob(cob) {
    cob.valor.original = Number(cob.valor.original);
  },
};
