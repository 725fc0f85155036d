// Banco do Brasil, Bradesco, Santander, Sicoob and Sicredi.
export default {
  what: 'says 200 where it made something, and 201 where it changed something',
  source: 'https://github.com/frones/ACBr/blob/035b8831ecbed1aaeb09864e8b8139424e585e73/Fontes/ACBrPIXCD/ACBrPIXCD-change-log.txt',
  settings: { createdStatus: 200, patchedStatus: 201 },
};
