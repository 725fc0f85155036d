// options.md: the services' options, in the order and the sections of the package's configuration file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { helpOf, optionsOf, programs } from './help.mjs';
import { bullets, code, table, wrapped } from './markdown.mjs';

const file = 'packaging/debian/pixledger.toml';
// The first section's options have no heading in the file.
const firstSection = 'Data and ledger';

// [{section, keys: [{name, value}]}], `value` being what the file sets.
function sectionsOf(text) {
  const sections = [{ section: firstSection, keys: [] }];
  for (const line of text.split('\n')) {
    const [, section] = /^## (.+)$/.exec(line) ?? [];
    if (section) sections.push({ section, keys: [] });
    const [, commented, name, value] = /^(#?)([a-z][a-z-]*) = (.*)$/.exec(line) ?? [];
    if (name) sections.at(-1).keys.push({ name, value: commented ? '' : value });
  }
  return sections;
}

// One for each meaning and default that an option has among the services.
async function variantsOf(bin) {
  const variants = new Map();
  for (const program of programs.filter((each) => each !== 'pixledger')) {
    const [{ text }] = await helpOf(bin, program);
    for (const option of optionsOf(text)) {
      const known = variants.get(option.name) ?? [];
      variants.set(option.name, known);
      const same = known.find((each) => each.meaning === option.meaning && each.default === option.default);
      if (same) same.programs.push(program);
      else known.push({ ...option, programs: [program] });
    }
  }
  return variants;
}

const all = programs.length - 1;
const programsOf = ({ programs: own }) =>
  own.length === all ? 'all services' : own.map((program) => program.replace('pixledger-', '')).join(', ');
const defaultOf = (option) => (option.isFlag && option.variable ? code('false') : option.default && code(option.default));
const meaningOf = ({ meaning, range }) => (range ? `${meaning}. From ${range}` : meaning);
// pixledger-web's --port-file has no variable: the server's key and variable of that name are not for it.
const rowsOf = (variants, { name, value }) =>
  variants.map((option) => [
    code(option.name),
    option.variable && code(option.variable),
    option.variable && code(name),
    defaultOf(option),
    option.variable && value && code(value),
    programsOf(option),
    meaningOf(option),
  ]);

const heading = ['option', 'environment variable', 'key', 'default', 'package sets', 'programs', 'meaning'];
const tableOf = (variants, keys) =>
  table(heading, keys.flatMap((key) => rowsOf(variants.get(`--${key.name}`), key)));
const introduction = [
  '# Options',
  '',
  ...wrapped(
    'Every option of every service. A value comes from the first of: the flag, the environment variable, the key in ' +
      '`/etc/pixledger/pixledger.toml`, the default. [Configure](../how-to/operate/configure.md) shows how to set them.',
  ),
  '',
  ...bullets(
    '`--config` or `PIXLEDGER_CONFIG` names another file; an empty `PIXLEDGER_CONFIG` names none. Programs outside ' +
      '`/usr/bin` read no file unless one is named.',
    'A list is an array of strings in the file, and separated by commas in a variable.',
    'Programs are named without `pixledger-`. `pixledger up` takes all of these options, for the services that it ' +
      'starts; commands of `pixledger` take those of *Data and ledger*. [Commands](commands.md) has the options of each.',
    '*Package sets* is the value in the file of the Debian package. Without one, and without a default, an option is ' +
      'off, or as its meaning says.',
  ),
];

export async function options({ root, bin }) {
  const variants = await variantsOf(bin);
  const lines = [...introduction];
  const sections = sectionsOf(readFileSync(join(root, file), 'utf8'));
  const named = sections.flatMap(({ keys }) => keys.map(({ name }) => `--${name}`));
  const unknown = named.filter((name) => !variants.has(name));
  if (unknown.length > 0) throw new Error(`${file} names what no service has: ${unknown.join(', ')}`);
  for (const { section, keys } of sections)
    lines.push('', `## ${section}`, '', ...tableOf(variants, keys));
  const rest = [...variants.keys()].filter((name) => !named.includes(name));
  const keys = rest.map((name) => ({ name: name.slice(2), value: '' }));
  return [...lines, '', "## Not in the package's file", '', ...tableOf(variants, keys)];
}
