import { Habits } from './habits.mjs';

// How this bank behaves, where banks differ or a test wants it otherwise. Changed while it runs (PATCH
// /settings).
const boolean = (value) => typeof value === 'boolean';
const count = (value) => Number.isSafeInteger(value) && value >= 0;
const oneOf =
  (...values) =>
  (value) =>
    values.includes(value);
const orNull = (rule) => (value) => value === null || rule(value);
const texts = (value) => Array.isArray(value) && value.every((each) => typeof each === 'string');

// Name → what it is at first, what it may be, what it means.
export const table = {
  clockOffsetMs: [0, Number.isSafeInteger, "how far the bank's clock is ahead: Date, criacao, horario"],
  lagMs: [0, count, 'a payment shows in GET /pix and GET /pix/{e2eid} only so long after it was made'],
  amountInCode: [true, boolean, 'whether field 54 stands in dynamic codes'],
  repeats: [
    'document',
    oneOf('document', 'conflict', 'same'),
    'a PUT of what exists: as in the document (cobs altered, devoluções refused), 409, or the answer again',
  ],
  settleMs: [0, orNull(count), 'a devolução settles by itself so long after it was asked for; null: by hand'],
  settleAs: ['DEVOLVIDO', oneOf('DEVOLVIDO', 'NAO_REALIZADO'), 'how it settles by itself'],
  refuseFutureFim: [false, boolean, 'whether a `fim` after now is refused'],
  itemsMax: [
    1000,
    (value) => count(value) && value > 0,
    'at most so many items a page, whatever was asked for',
  ],
  callbacks: [true, boolean, 'whether payments and ends of devoluções are told to the registered webhook'],
  webhookCheck: [
    false,
    boolean,
    'whether a webhook is tried before it is taken: refused without a client certificate, 2xx with it',
  ],
  tokenAuth: [
    'any',
    oneOf('any', 'basic', 'body', 'none'),
    'where a client must say who it is at /oauth/token',
  ],
  tokenSeconds: [3600, count, 'how long a token is good'],
  grantedScopes: [null, orNull(texts), 'what is granted at most; null: whatever is asked for'],
  appKey: [
    null,
    orNull((value) => typeof value === 'string'),
    'the query parameter gw-dev-app-key that is demanded',
  ],
  createdStatus: [201, oneOf(200, 201), 'answers a PUT that made something'],
  patchedStatus: [200, oneOf(200, 201), 'answers a PATCH'],
  missingStatus: [404, oneOf(400, 404), 'answers a GET of what is not there'],
  errorBodies: ['problem', oneOf('problem', 'efi', 'bb', 'html'), 'how bodies of 4xx look'],
  habits: [[], texts, 'which habits of tests/support/banks/habits it has'],
};

export class Settings {
  #habits = new Habits([]);

  constructor(changes = {}) {
    for (const [name, [first]] of Object.entries(table)) this[name] = first;
    this.change(changes);
  }

  // All or nothing.
  change(changes) {
    for (const [name, value] of Object.entries(changes)) {
      if (!(name in table)) throw new Error(`no setting: ${name}`);
      if (!table[name][1](value)) throw new Error(`${name}: ${JSON.stringify(value)} is not allowed`);
    }
    const ways = changes.habits ? new Habits(changes.habits) : this.#habits;
    Object.assign(this, changes.habits ? ways.settings : {}, changes);
    this.#habits = ways;
  }

  // What it does otherwise than the document says.
  get ways() {
    return this.#habits;
  }
}
