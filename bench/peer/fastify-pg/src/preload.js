// Prints COPY rows. Usage: node preload.js customers|transactions CHARGES
// Charges are spread evenly over the last year; no outbox rows, as if all were delivered.
import { once } from 'node:events';
import { customer, PAYERS } from '../../../load/people.mjs';
import { merchantTemplate, pixCode } from './brcode.js';

const YEAR_MS = 365 * 86_400_000;
const DAY_MS = 86_400_000;
const PROJECT = 1;
const CONNECTION = 'cpeerconnection0000000001';

const template = merchantTemplate({
  pixKey: '7d9f0335-8dcc-4054-9bf9-0dbd61d36906', merchantName: 'LOJA EXEMPLO', merchantCity: 'SAO PAULO',
});
const [table, charges] = [process.argv[2], Number(process.argv[3])];
const now = Date.now();
const iso = (ms) => new Date(ms).toISOString();
const below = (n) => Math.floor(Math.random() * n);
const customerId = (i) => `cseed${String(i).padStart(20, '0')}`;

function customerRow(i) {
  const { name, document, email, phone, address } = customer(i);
  const created = iso(now - YEAR_MS);
  return [
    customerId(i), PROJECT, document, name, email, phone, address.street, address.streetNumber,
    address.neighborhood, address.complement, address.zipCode, address.city, address.state, address.country,
    created, created,
  ];
}

function status() {
  const percent = below(100);
  if (percent < 70) return 'paid';
  if (percent < 92) return 'expired';
  if (percent < 97) return 'waiting_payment';
  return percent < 99 ? 'refunded' : 'cancelled';
}

function transactionRow(i) {
  const created = Math.floor(now - YEAR_MS + (i / charges) * YEAR_MS);
  const id = `c0${created.toString(36).padStart(8, '0')}${String(i).padStart(15, '0')}`;
  const state = status();
  const amount = 100 + below(49_901);
  const expires = state === 'waiting_payment' ? now + 30 * DAY_MS : created + DAY_MS;
  const paidAt = state === 'paid' || state === 'refunded' ? iso(created + 60_000) : '\\N';
  return [
    id, PROJECT, below(10) ? 'sandbox' : 'live', state, customerId(below(PAYERS)),
    `ord_0${String(i).padStart(14, '0')}`, amount, `Produto ${1 + below(500)}`, 1 + below(5),
    `loja${1 + below(20)}.example.com`, `203.0.113.${1 + below(254)}`, CONNECTION,
    pixCode(template, amount, id), iso(expires), paidAt, iso(created), iso(created),
  ];
}

const [row, count] = table === 'customers' ? [customerRow, PAYERS] : [transactionRow, charges];
for (let i = 0; i < count;) {
  let chunk = '';
  for (const end = Math.min(count, i + 1000); i < end; i++) chunk += row(i).join('\t') + '\n';
  if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
}
