// The invented shop of docs/pictures: two months of charges, the same in each run. Documents have wrong check digits and
// addresses end with `.example`, so nobody is meant.
const minute = 60_000;
const day = 24 * 60 * minute;
const midnight = Date.parse('2026-11-27T00:00:00-03:00'); // of the day on which the pictures are taken, a Friday
const days = 60;

const products = [
  ['Caneca de cerâmica azul', 6800], ['Vaso de barro médio', 14900], ['Jogo de 4 pratos rasos', 32800],
  ['Fruteira esmaltada', 18900], ['Travessa oval', 15900], ['Xícara com pires', 7900], ['Bule de chá 900 ml', 21900],
  ['Oficina de torno, uma aula', 18000], ['Saladeira grande', 17400], ['Moringa com copo', 12900],
  ['Porta-incenso', 4200], ['Luminária de mesa', 28900], ['Kit de 6 bowls', 23900], ['Cachepô pequeno', 5900],
];
const names = [
  'Ana Beatriz Souza', 'João Pedro Lima', 'Marina Tavares', 'Rafael Nogueira', 'Camila Duarte', 'Luís Otávio Prado',
  'Fernanda Reis', 'Thiago Moraes', 'Beatriz Antunes', 'Carlos Eduardo Pires', 'Juliana Farias', 'Paulo Henrique Vaz',
  'Larissa Monteiro', 'Diego Sampaio', 'Helena Bastos', 'Gustavo Peixoto', 'Patrícia Amaral', 'Renato Figueira',
  'Isabela Coutinho', 'André Luiz Serra', 'Mônica Salgado', 'Vinícius Rangel', 'Sônia Medeiros', 'Caio Valença',
];

// Mulberry32.
function randomOf(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const plain = (name) => name.normalize('NFD').replace(/[^A-Za-z ]/g, '').toLowerCase();

export class Shop {
  opened = midnight - days * day + 8 * 60 * minute;
  now = midnight + (14 * 60 + 32) * minute;
  email = 'marina@folha.example';
  project = ['--name', 'Ateliê Folha', '--pix-key', 'pix@folha.example', '--merchant-name', 'ATELIE FOLHA',
    '--merchant-city', 'PARATY'];
  store = { color: '#1f6f5c', supportContact: 'ajuda@folha.example' };
  sign = `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96">
<rect width="96" height="96" fill="#1f6f5c"/><path d="M24 72C22 40 40 22 74 22C74 56 58 74 30 68" fill="#e9f3ee"/>
<path d="M22 78C34 58 46 46 60 36" fill="none" stroke="#1f6f5c" stroke-width="4" stroke-linecap="round"/></svg>`;
  pending = 1;
  #random = randomOf(20261127);
  #count = 0;

  #pick = (list) => list[Math.floor(this.#random() * list.length)];

  #customer(name = this.#pick(names)) {
    const number = names.indexOf(name) + 10;
    const [first, ...rest] = plain(name).split(' ');
    const email = `${first}.${rest.at(-1)}@cliente.example`;
    return { name, document: `111222333${number}`, email, phone: `249990000${number}` };
  }

  #body(number, name, [product, amountCents]) {
    return { customer: this.#customer(name), payment: { product, amountCents }, originDomain: 'folha.example',
      externalId: `PED-${1040 + number}` };
  }

  // A charge and what becomes of it. `paidAfter`: in ms; null: it expires.
  #charge(at, { name, product = this.#pick(products), paidAfter, refundAfter, refundCents } = {}) {
    const charge = ++this.#count;
    const [, amountCents] = product;
    const all = [{ at, what: 'create', charge, body: this.#body(charge, name, product) }];
    if (paidAfter) {
      const paid = at + paidAfter;
      const stamp = new Date(paid).toISOString().replace(/\D/g, '').slice(0, 12);
      const endToEndId = `E99999999${stamp}FOLHA${String(charge).padStart(6, '0')}`;
      all.push({ at: paid, what: 'pay', charge, amountCents, endToEndId });
      const refund = { amountCents: refundCents, reason: 'Chegou quebrado' };
      if (refundAfter) all.push({ at: paid + refundAfter, what: 'refund', charge, body: refund });
    }
    return all;
  }

  #dayOfCharges(ago) {
    const begin = midnight - ago * day;
    const weekday = new Date(begin).getUTCDay();
    const busy = 5 + (days - ago) / 12 + (weekday === 6 ? 4 : weekday === 0 ? -2 : 0) + (ago === 1 ? 2 : 0);
    const count = ago === 0 ? 5 : Math.round(busy * (0.75 + this.#random() * 0.5));
    const hours = ago === 0 ? 3.2 : 12;
    const times = Array.from({ length: count }, () => Math.round(begin + (9 + this.#random() * hours) * 60 * minute));
    return times.sort((a, b) => a - b).map((at) => {
      const isPaid = this.#random() < 0.87;
      const isRefunded = isPaid && ago > 4 && this.#random() < 0.03;
      const paidAfter = Math.round(minute * (0.4 + 9 * this.#random() ** 3));
      return this.#charge(at, { paidAfter: isPaid ? paidAfter : null, refundAfter: isRefunded ? 2 * day : null });
    }).flat();
  }

  // What the newest lines of the dashboard show, and the page of the last payer.
  #lastHours() {
    const at = (hour, minutes, seconds) => midnight + (hour * 60 + minutes) * minute + seconds * 1000;
    return [
      { at: at(12, 25, 0), what: 'webhook' },
      ...this.#charge(at(12, 31, 40), { name: 'Helena Bastos', product: products[9], paidAfter: 52_000 }),
      ...this.#charge(at(12, 58, 3), { name: 'Diego Sampaio', product: products[4], paidAfter: 95_000,
        refundAfter: 40 * minute, refundCents: 5900 }),
      ...this.#charge(at(13, 24, 18), { name: 'Camila Duarte', product: products[0], paidAfter: null }),
      ...this.#charge(at(13, 47, 52), { name: 'Rafael Nogueira', product: products[7], paidAfter: 210_000 }),
      ...this.#charge(at(14, 12, 9), { name: 'Juliana Farias', product: products[2], paidAfter: 41_000 }),
      { at: at(14, 29, 30), what: 'page', body: this.#body(this.#count + 1, 'Ana Beatriz Souza', products[6]) },
    ];
  }

  // All that happens, in its order.
  happenings() {
    const all = Array.from({ length: days }, (_, at) => this.#dayOfCharges(days - 1 - at)).flat();
    return [...all, ...this.#lastHours()].sort((a, b) => a.at - b.at);
  }
}
