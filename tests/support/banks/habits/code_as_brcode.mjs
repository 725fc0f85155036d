// Sicoob.
export default {
  what: 'calls the code brcode',
  source: 'https://github.com/frones/ACBr/blob/035b8831ecbed1aaeb09864e8b8139424e585e73/Fontes/ACBrPIXCD/ACBrPIXCD-change-log.txt',
  psp: 'sicoob',
  order: 1,
  settings: { tokenAuth: 'none' },
  cob(cob) {
    cob.brcode = cob.pixCopiaECola;
    delete cob.pixCopiaECola;
  },
};
