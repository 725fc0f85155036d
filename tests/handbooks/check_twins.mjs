// Usage: node check_twins.mjs ROOT
//
// The merchants' pages have Portuguese twins: docs/pt/P is docs/P, in other words only. Both have the same levels of
// headings, anchors that are set by {#id}, fenced blocks (but for their comments) and marks before fences. Equal headings
// are English that nobody translated, unless they are names. Prints FILE: what differs.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['tutorials', 'how-to/merchants'];
// Headings that are the same in both languages.
const names = new Set(['Node', 'PHP', 'Python', 'Webhooks']);

const [root] = process.argv.slice(2);
if (!root) throw new Error('which root?');
const docs = join(root, 'docs');
const pagesBelow = (folder) =>
  existsSync(join(docs, folder))
    ? readdirSync(join(docs, folder), { recursive: true }).filter((name) => name.endsWith('.md')).map((name) => `${folder}/${name}`)
    : [];

// What follows `# ` or `// ` is for readers, in their language.
const withoutComment = (line) => line.replace(/(# |\/\/ ).*$/, '').trimEnd();

// { headings: [{level, text, id}], blocks: [{language, mark, text}], problem }
function parse(path) {
  const headings = [];
  const blocks = [];
  let open;
  let previous = '';
  for (const line of readFileSync(join(docs, path), 'utf8').split('\n')) {
    const fence = /^\s*(`{3,}|~{3,})(.*)$/.exec(line);
    if (open) {
      if (fence && fence[1].startsWith(open.fence) && fence[2].trim() === '') open = undefined;
      else open.lines.push(withoutComment(line));
    } else if (fence) {
      const mark = /^\s*<!--.*-->\s*$/.test(previous) ? previous.trim() : '';
      blocks.push((open = { fence: fence[1], language: fence[2].trim(), mark, lines: [] }));
    } else {
      const heading = /^(#{1,6}) +(.*?)(?: +\{#([^}]*)\})? *$/.exec(line);
      if (heading) headings.push({ level: heading[1].length, text: heading[2], id: heading[3] ?? '' });
    }
    previous = line;
  }
  return {
    headings,
    blocks: blocks.map(({ language, mark, lines }) => ({ language, mark, text: lines.join('\n') })),
    problem: open && 'the last fence has no end',
  };
}

const problems = [];
function compareLists(file, what, english, twin) {
  for (let i = 0; i < Math.max(english.length, twin.length); i += 1) {
    if (english[i] === twin[i]) continue;
    const show = (value) => (value === undefined ? 'missing' : JSON.stringify(value));
    problems.push(`${file}: ${what} ${i + 1} is ${show(twin[i])}, in English ${show(english[i])}`);
    return;
  }
}

function compareBlocks(file, english, twin) {
  compareLists(file, 'the language of block', english.map((each) => each.language), twin.map((each) => each.language));
  compareLists(file, 'the mark before block', english.map((each) => each.mark), twin.map((each) => each.mark));
  for (let i = 0; i < Math.min(english.length, twin.length); i += 1)
    compareLists(file, `block ${i + 1}, line`, english[i].text.split('\n'), twin[i].text.split('\n'));
}

const twins = pagesBelow('pt');
const pages = new Set([...folders.flatMap(pagesBelow), ...twins.map((path) => path.slice('pt/'.length))]);
for (const page of [...pages].sort()) {
  const file = `docs/pt/${page}`;
  if (!existsSync(join(docs, page))) problems.push(`${file}: there is no docs/${page}`);
  else if (!twins.includes(`pt/${page}`)) problems.push(`docs/${page}: there is no ${file}`);
  else {
    const english = parse(page);
    const twin = parse(`pt/${page}`);
    if (english.problem) problems.push(`docs/${page}: ${english.problem}`);
    if (twin.problem) problems.push(`${file}: ${twin.problem}`);
    compareLists(file, 'the level of heading', english.headings.map((each) => each.level), twin.headings.map((each) => each.level));
    compareLists(file, 'the anchor of heading', english.headings.map((each) => each.id), twin.headings.map((each) => each.id));
    compareBlocks(file, english.blocks, twin.blocks);
    const texts = new Set(english.headings.map((each) => each.text));
    for (const { text } of twin.headings.filter((each) => texts.has(each.text) && !names.has(each.text)))
      problems.push(`${file}: the heading is English: ${text}`);
  }
}
if (pages.size === 0) problems.push('docs: there are no pages');
for (const problem of problems) console.error(problem);
console.log(`${pages.size} pages`);
process.exit(problems.length > 0 ? 1 : 0);
