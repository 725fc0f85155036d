// Itaú.
const local = (text) => text && new Date(Date.parse(text) - 3 * 3_600_000).toISOString();

export default {
  what: 'writes local times with a Z',
  source: 'https://github.com/bacen/pix-api/issues/573',
  tellsWrongTimes: true,
  payment(payment) {
    payment.horario = local(payment.horario);
  },
  cob(cob) {
    if (cob.calendario) cob.calendario.criacao = local(cob.calendario.criacao);
  },
};
