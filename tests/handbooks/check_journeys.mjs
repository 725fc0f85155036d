// Usage: node check_journeys.mjs [ROOT]
//
// Every block of commands of docs/tutorials and docs/how-to is run by one journey or says why it is not: its page is in
// exactly one journey, and the fences and marks are those that run.mjs knows. Prints what is not so.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isCommand, parse, readJourneys, root } from './pages.mjs';

const [tree = root] = process.argv.slice(2);
const docs = join(tree, 'docs');
const pages = ['tutorials', 'how-to']
  .filter((folder) => existsSync(join(docs, folder)))
  .flatMap((folder) => readdirSync(join(docs, folder), { recursive: true }).map((name) => `${folder}/${name}`))
  .filter((path) => path.endsWith('.md'))
  .sort();
const problems = [];
const journeysOf = new Map();
for (const [name, members] of readJourneys(join(tree, 'tests/handbooks/journeys'))) {
  for (const page of members) {
    journeysOf.set(page, [...(journeysOf.get(page) ?? []), name]);
    if (!pages.includes(page)) problems.push(`tests/handbooks/journeys: ${name} has no page docs/${page}`);
  }
}
let count = 0;
for (const page of pages) {
  const parsed = parse(`docs/${page}`, readFileSync(join(docs, page), 'utf8'));
  for (const { line, message } of parsed.problems) problems.push(`docs/${page}:${line}: ${message}`);
  const commands = parsed.blocks.filter(isCommand);
  count += commands.length;
  const names = journeysOf.get(page) ?? [];
  if (names.length > 1) problems.push(`docs/${page} is in several journeys: ${names.join(', ')}`);
  if (names.length === 0 && commands.length > 0)
    problems.push(`docs/${page}:${commands[0].line}: a block of commands, but the page is in no journey`);
}
for (const problem of problems) console.error(problem);
console.log(`${count} blocks of commands on ${pages.length} pages`);
process.exit(problems.length > 0 ? 1 : 0);
