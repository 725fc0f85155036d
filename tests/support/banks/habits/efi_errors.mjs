export default {
  what: 'says 400 and nome for what is not there, and 409 for an id that is used',
  source: 'https://dev.efipay.com.br/docs/api-pix/gestao-de-pix/',
  psp: 'efi',
  settings: { missingStatus: 400, errorBodies: 'efi', repeats: 'conflict' },
};
