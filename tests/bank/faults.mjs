// The faults that are set: each for one operation (or all), on one side of the proxy, so many times. What
// each kind does stands in faulty.mjs and changes.mjs.
import { changes } from './changes.mjs';
import { centsOf } from './money.mjs';
import { operations } from './operations.mjs';

const number = (value) => Number.isSafeInteger(value) && value >= 0;
const text = (value) => typeof value === 'string';
const isChangeOfEffect = { when: (value) => value === 'before' || value === 'after' };

// Kind → what it takes beside the common fields.
export const kinds = {
  delay: { ms: number, ...isChangeOfEffect }, // waits
  drop: isChangeOfEffect, // ends the connection without an answer
  cut: {}, // ends it in the middle of the answer
  status: { status: number, retryAfter: number, ...isChangeOfEffect }, // 429, 500, 503 … with a problem
  html: { status: number, ...isChangeOfEffect }, // an error page
  problem: { status: number, type: text, detail: text, violacoes: Array.isArray, ...isChangeOfEffect },
  body: { status: number, contentType: text, text, ...isChangeOfEffect }, // any answer at all
  pay: { amount: (value) => centsOf(value) > 0, ...isChangeOfEffect }, // its cob is paid at this moment
  large: { bytes: number }, // the answer grows by so much
  set: { path: text, value: () => true }, // a field of the answer becomes this; without a value it goes
  ...Object.fromEntries(Object.keys(changes).map((kind) => [kind, {}])),
};

const common = {
  operation: (value) => value === '*' || value === 'token' || operations.some(({ name }) => name === value),
  side: (value) => value === 'outer' || value === 'inner',
  kind: (value) => Object.hasOwn(kinds, value),
  times: (value) => value === null || (number(value) && value > 0), // null: until it is cleared; at first 1
  skip: number, // lets so many requests pass first
  match: text, // only requests whose path has this in it
};

function check(fault) {
  for (const name of ['operation', 'kind']) if (!(name in fault)) throw new Error(`a fault has an ${name}`);
  for (const [name, value] of Object.entries(fault)) {
    const rule = common[name] ?? kinds[fault.kind]?.[name];
    if (!rule) throw new Error(`a fault of kind ${fault.kind} has no ${name}`);
    if (!rule(value)) throw new Error(`${name}: ${JSON.stringify(value)} is not allowed`);
  }
}

export class Faults {
  #list = [];

  // All or none.
  add(faults) {
    for (const fault of faults) check(fault);
    for (const fault of faults) this.#list.push({ side: 'outer', times: 1, skip: 0, ...fault });
  }

  clear() {
    this.#list = [];
  }

  all() {
    return this.#list;
  }

  // Those that this request meets, in the order in which they were set. What is used up goes.
  take(side, operation, path) {
    const met = this.#list.filter(
      (fault) =>
        fault.side === side &&
        (fault.operation === '*' || fault.operation === operation) &&
        path.includes(fault.match ?? ''),
    );
    const taken = [];
    for (const fault of met) {
      if (fault.skip > 0) fault.skip -= 1;
      else {
        taken.push(fault);
        if (fault.times !== null) fault.times -= 1;
      }
    }
    this.#list = this.#list.filter(({ times }) => times !== 0);
    return taken;
  }
}
