// Pieces of Markdown.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const code = (text) => `\`${text}\``;

// A row of a table; `|` separates cells, also in code.
export const row = (...cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
export function table(heading, rows) {
  return [row(...heading), `|${'---|'.repeat(heading.length)}`, ...rows.map((cells) => row(...cells))];
}

// The text in lines of at most 100 columns, those after the first indented.
export function wrapped(text, indent = '') {
  const lines = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= 100) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(lines.length > 0 ? indent + word : word);
  }
  return lines;
}
export const bullets = (...texts) => texts.flatMap((text) => wrapped(`- ${text}`, '  '));

// The C++ sources of the folders, relative to `root`, in the order of their names.
export function sourcesIn(root, folders, ending) {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .sort()
      .map((name) => `${folder}/${name}`)
      .filter((path) => ending.test(path)),
  );
}
