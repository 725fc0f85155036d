// Banks as they are: the whole way of money, under each habit that is known of one, and under all together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { habits } from './habits.mjs';
import { runMoneyPath } from './money_path.mjs';

const names = [...habits.keys()].sort();

test('each habit says what it is and where that is to be read', () => {
  assert.ok(names.length > 0);
  for (const habit of habits.values()) {
    assert.ok(habit.what?.length > 0, habit.name);
    assert.match(habit.source ?? '', /^https:\/\/\S+/, habit.name);
  }
});

test('a bank that keeps to the document', () => runMoneyPath());

for (const name of names) {
  const { what, psp } = habits.get(name);
  test(`a bank that ${what}`, () => runMoneyPath({ habits: [name], psp }));
}

// Those that a profile belongs to are of one bank each.
for (const psp of new Set(['generic', ...[...habits.values()].flatMap((habit) => habit.psp ?? [])])) {
  const together = names.filter((name) => (habits.get(name).psp ?? psp) === psp);
  test(`a bank that has all of it at once (${psp})`, () => runMoneyPath({ habits: together, psp }));
}
