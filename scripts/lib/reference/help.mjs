// What the programs' --help says, as texts and as options. The manual pages are made from the same texts.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const programs = [
  'pixledger',
  'pixledger-server',
  'pixledger-web',
  'pixledger-webhooks',
  'pixledger-emails',
  'pixledger-expiry',
  'pixledger-providers',
  'pixledger-follow',
];

const run = promisify(execFile);
// Without the caller's settings, which --help would show as defaults.
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PIXLEDGER_'))),
  COLUMNS: '100',
};

async function textOf(bin, [program, ...command]) {
  if (!existsSync(join(bin, program)))
    throw new Error(`${join(bin, program)} is missing: run scripts/build, or set PIXLEDGER_BIN_DIR`);
  const { stdout } = await run(join(bin, program), [...command, '--help'], { env: environment });
  return stdout;
}

// The entries of a section such as "Subcommands:": the lines of each, its first one at two blanks.
function entriesOf(text, heading) {
  const lines = text.split('\n');
  const start = lines.indexOf(heading);
  if (start < 0) return [];
  const end = lines.findIndex((line, i) => i > start && !line.startsWith(' '));
  const entries = [];
  for (const line of lines.slice(start + 1, end < 0 ? undefined : end)) {
    if (/^ {2}\S/.test(line)) entries.push([line.slice(2)]);
    else entries.at(-1).push(line.trim());
  }
  return entries.map(([first, ...rest]) => ({ first, rest }));
}

// [{path: ['pixledger', 'key', 'create'], text}], a command before its subcommands. Two run at once: there are many.
async function readCommand(bin, path) {
  const text = await textOf(bin, path);
  const below = [];
  const names = entriesOf(text, 'Subcommands:').map(({ first }) => first.split(' ')[0]);
  for (let i = 0; i < names.length; i += 2)
    below.push(...(await Promise.all(names.slice(i, i + 2).map((name) => readCommand(bin, [...path, name])))));
  return [{ path, text }, ...below.flat()];
}

const read = new Map();
export function helpOf(bin, program) {
  if (!read.has(program)) read.set(program, readCommand(bin, [program]));
  return read.get(program);
}

// "--flag TYPE=default (Env:NAME)  text", whose text may begin on the next line.
export function optionsOf(text) {
  return entriesOf(text, 'Options:').map(({ first, rest }) => {
    const [head, begun] = first.split(/ {2,}/);
    const [, names, kind = '', variable = ''] = /^(\S+)(?: (.*?))??(?: \(Env:(\w+)\))?$/.exec(head) ?? [];
    if (!names) throw new Error(`--help has an option that this script cannot read: ${first}`);
    const [, least, most] = / in \[(.+?) - (.+?)\]/.exec(kind) ?? [];
    return {
      name: names.split(',').find((each) => each.startsWith('--')),
      variable,
      isFlag: kind === '' && names !== '--config',
      default: /=([^\s\]]+)$/.exec(kind)?.[1] ?? '',
      range: least ? `${least} to ${most}` : '',
      meaning: [begun, ...rest].filter(Boolean).join(' '),
    };
  });
}
