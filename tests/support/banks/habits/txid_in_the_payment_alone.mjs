export default {
  what: 'lists payments without their txid, which each payment has when it is asked for',
  source: 'https://github.com/andreroggeri/pynubank/issues/295',
  payment(payment, { operation }) {
    if (operation === 'pix.list') delete payment.txid;
  },
};
