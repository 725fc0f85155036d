// Itaú.
export default {
  what: 'goes on to call a cob ATIVA that was paid',
  source: 'https://github.com/bacen/pix-api/issues/321',
  cob(cob) {
    if (cob.status === 'CONCLUIDA') cob.status = 'ATIVA';
  },
};
