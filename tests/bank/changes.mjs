// Faults that leave a good answer but for one thing. Each changes the JSON of an answer: a cob, a Pix, a
// devolução, a token, or each item of a list.
import { dynamicCode, readCode } from './br_code.mjs';
import { centsOf, textOf } from './money.mjs';

function each(value, change) {
  const items = value.cobs ?? (value.endToEndId || value.txid ? undefined : value.pix);
  for (const item of items ?? [value]) change(item);
}

const last = (text, a, b) => text.slice(0, -1) + (text.at(-1) === a ? b : a);
const later = (amount) => textOf(centsOf(amount) + 1);

function recode(cob, { cents, location }) {
  const code = readCode(cob.pixCopiaECola);
  cob.pixCopiaECola = dynamicCode(location ?? code.location, {
    cents: cents ?? (code.amount === undefined ? undefined : centsOf(code.amount)),
    name: 'Recebedor',
    city: 'RECIFE',
  });
}

const whenCoded = (change) => (value) => each(value, (item) => item.pixCopiaECola && change(item));

export const changes = {
  'wrong-txid': (value) =>
    each(value, (item) => {
      if (item.txid) item.txid = last(item.txid, 'a', 'b');
    }),
  'wrong-amount': (value) =>
    each(value, (item) => {
      if (item.valor?.original) item.valor.original = later(item.valor.original);
      else if (item.valor) item.valor = later(item.valor);
    }),
  'wrong-key': (value) =>
    each(value, (item) => {
      if (item.chave) item.chave = 'outra@bank.example';
    }),
  'no-location': (value) =>
    each(value, (item) => {
      delete item.location;
      delete item.loc;
    }),
  'no-code': (value) =>
    each(value, (item) => {
      delete item.pixCopiaECola;
    }),
  'bad-crc': whenCoded((cob) => {
    cob.pixCopiaECola = last(cob.pixCopiaECola, '0', '1');
  }),
  'wrong-code-amount': whenCoded((cob) => recode(cob, { cents: centsOf(cob.valor.original) + 1 })),
  'wrong-code-location': whenCoded((cob) => recode(cob, { location: last(cob.location, '0', '1') })),
  'no-zone': (value) =>
    each(value, (item) => {
      if (item.calendario?.criacao) item.calendario.criacao = item.calendario.criacao.replace('Z', '');
      if (typeof item.horario === 'string') item.horario = item.horario.replace('Z', '');
    }),
};

// `path` as valor.original; numbers are places in lists. Without a value the field goes.
export function setField(value, path, wanted) {
  const way = path.split('.');
  const name = way.pop();
  const holder = way.reduce((found, step) => found?.[step], value);
  if (typeof holder !== 'object' || holder === null) return;
  if (wanted === undefined) delete holder[name];
  else holder[name] = wanted;
}

export function grow(value, bytes) {
  value.enchimento = 'x'.repeat(bytes);
}
