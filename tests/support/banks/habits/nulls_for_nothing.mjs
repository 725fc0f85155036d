// Sicoob.
export default {
  what: 'writes null for what is not there',
  source: 'https://www.projetoacbr.com.br/forum/topic/69458-acbrpixcd-sicredi-mensagem-erro-no-demo-duplicate-object-member-retirada/',
  payment(payment) {
    payment.txid ??= null;
    payment.infoPagador ??= null;
    payment.devolucoes ??= null;
  },
  devolucao(devolucao) {
    devolucao.descricao ??= null;
    devolucao.motivo ??= null;
    if (devolucao.status === 'EM_PROCESSAMENTO') devolucao.rtrId = null;
    devolucao.horario.liquidacao ??= null;
  },
  cob(cob) {
    cob.devedor ??= null;
    cob.pix ??= null;
  },
};
