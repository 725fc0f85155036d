// What banks do otherwise than the document says, each habit a file in tests/support/banks/habits, put on at the TLS
// end and in callbacks, so that the proxy sees what the document says. README.md of that folder says what a habit
// may hold.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../support/banks/habits/', import.meta.url));

// Name → the habit, in the order in which they act: what spells names otherwise comes after what reads them.
const loaded = await Promise.all(
  readdirSync(folder)
    .filter((file) => file.endsWith('.mjs'))
    .sort()
    .map(async (file) => {
      const name = file.replace(/\.mjs$/, '');
      return [name, { name, ...(await import(new URL(file, `file://${folder}`))).default }];
    }),
);
loaded.sort(([, a], [, b]) => (a.order ?? 0) - (b.order ?? 0));
export const habits = new Map(loaded);

const parsed = (answer) => {
  if (answer.status >= 300 || answer.body.length === 0) return undefined;
  try {
    return JSON.parse(answer.body.toString('utf8'));
  } catch {
    return undefined; // a token's refusal, or what an earlier habit has made of it
  }
};

// Each thing of the document in an answer: [kind, value].
function* things(operation, value) {
  if (operation === 'token') yield ['token', value];
  if (operation === 'pix.list') {
    yield* (value.pix ?? []).flatMap(paymentThings);
    yield ['page', value];
  }
  if (operation === 'pix.get') yield* paymentThings(value);
  if (operation?.startsWith('devolucao.')) yield ['devolucao', value];
  if (operation === 'cob.list') yield* value.cobs.flatMap(cobThings);
  else if (operation?.startsWith('cob.')) yield* cobThings(value);
  if (operation === 'webhook.get') yield ['webhook', value];
}
const paymentThings = (payment) => [
  ...(payment.devolucoes ?? []).map((each) => ['devolucao', each]),
  ['payment', payment],
];
const cobThings = (cob) => [...(cob.pix ?? []).flatMap(paymentThings), ['cob', cob]];

// The habits that are on, in a bank. `names`: of files in the folder.
export class Habits {
  #on;
  #turns = new Map(); // family → how often one of it was due

  constructor(names) {
    this.#on = names.map((name) => {
      const habit = habits.get(name);
      if (!habit) throw new Error(`no habit: ${name}`);
      return habit;
    });
    this.#on.sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  }

  // What they want of the bank's settings.
  get settings() {
    return Object.assign({}, ...this.#on.map(({ settings }) => settings));
  }

  // Returns the answer in place of the bank's, which then never sees the request, or undefined.
  // call: {operation, query, body (parsed, or undefined), bank, account}.
  refusal(call) {
    for (const habit of this.#due('refuse')) {
      const answer = habit.refuse(call);
      if (answer) return answer;
    }
    return undefined;
  }

  // The answer as this bank spells it.
  spell(answer, call) {
    const value = parsed(answer);
    let spelt = answer;
    if (typeof value === 'object' && value !== null) {
      // Things are found by the document's names, before any of those becomes another.
      const found = [...things(call.operation, value)];
      for (const habit of this.#on) {
        for (const [kind, thing] of found) habit[kind]?.(thing, call);
      }
      spelt = { ...answer, body: Buffer.from(JSON.stringify(value)) };
    }
    for (const habit of this.#due('answer')) spelt = habit.answer(spelt, call);
    return spelt;
  }

  // The body of a callback, as a text.
  tell(payments, bank) {
    const body = { pix: structuredClone(payments) };
    const found = body.pix.flatMap(paymentThings);
    for (const habit of this.#on) {
      for (const [kind, thing] of found) habit[kind]?.(thing, { operation: 'callback', bank });
    }
    for (const habit of this.#on) habit.callback?.(body);
    return JSON.stringify(body);
  }

  // Those that have the part; of each family one, in turns.
  #due(part) {
    const having = this.#on.filter((habit) => habit[part]);
    return having.filter((habit) => {
      if (!habit.family) return true;
      const family = having.filter(({ family: other }) => other === habit.family);
      const key = `${habit.family} ${part}`;
      if (habit === family[0]) this.#turns.set(key, (this.#turns.get(key) ?? -1) + 1);
      return family[this.#turns.get(key) % family.length] === habit;
    });
  }
}
