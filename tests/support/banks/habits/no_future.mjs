export default {
  what: 'refuses a window that ends in the future',
  source: 'https://github.com/bacen/pix-api/issues/504',
  settings: { refuseFutureFim: true },
};
