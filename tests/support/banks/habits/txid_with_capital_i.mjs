// Santander.
export default {
  what: 'writes the txid of a payment as txId',
  source: 'https://github.com/bacen/pix-api/issues/278',
  order: 1,
  payment(payment) {
    payment.txId = payment.txid;
    delete payment.txid;
  },
};
