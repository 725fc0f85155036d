// Itaú.
export default {
  what: 'shows payments only after a while',
  source: 'https://github.com/bacen/pix-api/issues/321',
  settings: { lagMs: 2_500 },
};
