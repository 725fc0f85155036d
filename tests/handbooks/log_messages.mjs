// Usage: node log_messages.mjs ROOT [--write]
//
// The table of log messages in docs/OPERATING.md, against the code: every message that a program logs is in it, with its
// level, its programs and its fields, and no other. What to do about it is the table's own. Prints what differs;
// --write makes the table anew, with an empty last column for what is new.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [root, write] = process.argv.slice(2);
const handbook = join(root, 'docs/OPERATING.md');

// Who logs what a source says. The first that fits.
const programs = [
  [/^http\//, 'server'],
  [/^web\//, 'web'],
  [/^workers\/webhooks\//, 'webhooks'],
  [/^workers\/emails\//, 'emails'],
  [/^workers\/expiry\//, 'expiry'],
  [/^workers\//, 'workers'],
  [/^tools\//, 'up'],
  [/^(base|eventstore|projections|stores)\//, 'all'],
];

// A call of a logger: its level, or the level among its arguments, and its arguments up to the end of the statement, of
// which the first is the message.
const call = /\b\w*logger\w*(?:\.|->)(info|warning|error|log)\(\s*((?:[^";]|"(?:[^"\\]|\\.)*")*);/gis;
const literal = /^(?:(?:LogLevel::k(Info|Warning|Error)|level),\s*)?((?:"(?:[^"\\]|\\.)*"\s*)+)/;
const problems = [];
const messages = new Map();

for (const folder of ['base', 'eventstore', 'http', 'web', 'workers', 'tools', 'projections', 'stores']) {
  for (const name of readdirSync(join(root, folder), { recursive: true }).sort()) {
    if (!name.endsWith('.cpp') || name.endsWith('process/logging.cpp')) continue;
    const path = `${folder}/${name}`;
    for (const [, method, rest] of readFileSync(join(root, path), 'utf8').matchAll(call)) {
      const found = literal.exec(rest);
      const level = (method === 'log' ? (found?.[1] ?? 'by outcome') : method).toLowerCase();
      if (!found) {
        problems.push(`${path}: a logged message is no literal: ${rest.slice(0, 60)}`);
        continue;
      }
      const message = [...found[2].matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text).join('');
      const fields = [...rest.slice(found[0].length).matchAll(/\{\s*"(\w+)",/g)].map(([, field]) => field);
      const [, program] = programs.find(([prefix]) => prefix.test(path));
      const known = messages.get(message);
      if (known && known.level !== level) problems.push(`${path}: "${message}" has two levels`);
      messages.set(message, {
        level,
        programs: [...new Set([...(known?.programs ?? []), program])],
        fields: [...new Set([...(known?.fields ?? []), ...fields])],
      });
    }
  }
}

const heading = '| message | level | from | fields besides | what it means, and what to do |\n|---|---|---|---|---|\n';
const text = readFileSync(handbook, 'utf8');
const start = text.indexOf(heading) + heading.length;
if (start < heading.length) throw new Error(`${handbook} has no table of log messages`);
const end = text[start] === '\n' ? start : text.indexOf('\n\n', start) + 1;
const rows = text.slice(start, end).trim().split('\n').filter(Boolean);
const meanings = new Map(rows.map((row) => row.split(' | ')).map((cells) => [cells[0].slice(2), cells.at(-1).replace(/ \|$/, '')]));

const order = ['up', 'all', 'server', 'web', 'workers', 'webhooks', 'emails', 'expiry'];
const rank = ([message, { programs: by }]) => `${order.indexOf(by[0])} ${message}`;
const expected = [...messages]
  .sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  .map(
    ([message, { level, programs: by, fields }]) =>
      `| ${message} | ${level} | ${by.join(', ')} | ${fields.map((field) => `\`${field}\``).join(' ')} | ${meanings.get(message) ?? ''} |`,
  );

if (write === '--write') {
  writeFileSync(handbook, `${text.slice(0, start)}${expected.join('\n')}\n${text.slice(end)}`);
} else {
  for (const row of expected) if (!rows.includes(row)) problems.push(`the handbook does not have: ${row}`);
  for (const row of rows) if (!expected.includes(row)) problems.push(`the handbook has what the code does not: ${row}`);
}
for (const row of expected) if (/\|\s+\|$/.test(row)) problems.push(`what does it mean? ${row}`);
if (messages.size < 20) problems.push(`only ${messages.size} messages were found`);
for (const problem of problems) console.error(problem);
console.log(`${messages.size} messages in the code, ${rows.length} in the handbook`);
process.exit(problems.length > 0 ? 1 : 0);
