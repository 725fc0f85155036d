// The fenced blocks of a handbook's page, and the journeys that are made of pages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const mark = /^<!-- (not run|file): (\S.*?) -->$/;
// What a reader types into a shell. The others of these names are refused: no test would run them.
const shells = ['sh', 'console'];
const refused = ['', 'bash', 'shell', 'shell-session', 'zsh'];

// { blocks: [{page, line, language, notRun, file, text}], prose, problems: [{line, message}] }. The prose has as many lines
// as the page, without what is in blocks.
export function parse(page, source) {
  const blocks = [];
  const prose = [];
  const problems = [];
  let open;
  let pending;
  const report = (line, message) => problems.push({ line, message });
  source.split('\n').forEach((text, i) => {
    const line = i + 1;
    const fence = /^```(.*)$/.exec(text);
    prose.push(open || fence ? '' : text);
    if (open) {
      if (text === '```') open = undefined;
      else open.text += `${text}\n`;
      return;
    }
    if (fence) {
      const [language, ...rest] = fence[1].trim().split(/ +/);
      if (rest.length > 0) report(line, `the info string has more than a language: ${rest.join(' ')}`);
      if (refused.includes(language)) report(line, `the language is ${language || 'missing'}: say sh, console, text or what it is`);
      open = { page, line, language, text: '', ...pending };
      if (open.notRun && !shells.includes(language)) report(line, `"not run" before a block of ${language}, which never runs`);
      blocks.push(open);
      pending = undefined;
      return;
    }
    if (pending) report(line, 'a mark must stand on the line before a fence');
    pending = undefined;
    if (/^\s+(```|~~~)|^~~~/.test(text)) report(line, 'a fence must be ``` at the start of a line');
    const found = mark.exec(text);
    if (found) pending = found[1] === 'file' ? { file: found[2] } : { notRun: found[2] };
    else if (/^\s*<!--\s*(not[- ]run|file)\b/i.test(text)) report(line, 'marks are <!-- not run: WHY --> and <!-- file: NAME -->');
  });
  if (open) report(open.line, 'the fence has no end');
  return { blocks, prose: prose.join('\n'), problems };
}

export const isCommand = ({ language, file }) => shells.includes(language) && !file;
export const isRun = (block) => isCommand(block) && !block.notRun;

// Map of each journey's name to its pages, relative to docs.
export function readJourneys(path = join(root, 'tests/handbooks/journeys')) {
  const lines = readFileSync(path, 'utf8').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => line.trim().split(/ +/)).map(([name, ...pages]) => [name, pages]));
}
