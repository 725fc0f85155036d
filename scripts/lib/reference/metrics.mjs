// metrics.md: the table in base/http/metrics/metrics.h, which has the metrics of server, workers and pixledger-web.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { row } from './markdown.mjs';

// Name, type, help text and labels. Strings without escapes; a long one may be in parts.
const entry =
  /^static constexpr Metric k\w+\{\s*("\w+"),\s*k(Counter|Gauge|Histogram),\s*((?:"[^"\\]*"\s*)+)((?:,\s*"\w+")*)\};$/;
const parts = (literals) => [...literals.matchAll(/"([^"]*)"/g)].map(([, text]) => text);

function rowOf(table, metric, comment) {
  const [, name, type, help, labels] = entry.exec(metric) ?? [];
  if (!name) throw new Error(`${table}: not a metric that this script can read:\n${metric}`);
  const meaning = parts(help).join('') + (comment.length > 0 ? `. ${comment.join(' ')}` : '');
  if (meaning.includes('|')) throw new Error(`${table}: ${name} has a | in its text`);
  const names = parts(labels).map((label) => `\`${label}\``);
  return row(`\`${parts(name)}\``, type.toLowerCase(), names.join(' '), meaning);
}

export function metrics({ root }) {
  const table = join(root, 'base/http/metrics/metrics.h');
  const source = readFileSync(table, 'utf8');
  const start = source.indexOf(' public:\n', source.indexOf('\nstruct Metrics {'));
  const body = source.slice(start + ' public:\n'.length, source.indexOf('\n};\n', start));
  const lines = [];
  let comment = [];
  let metric = [];
  let rows = 0;
  for (const line of `${body}\n`.split('\n').map((each) => each.trim())) {
    if (metric.length > 0 || line.startsWith('static')) {
      metric.push(line);
      if (!line.endsWith('};')) continue;
      if (rows === 0) lines.push('| name | type | labels | meaning |', '|---|---|---|---|');
      lines.push(rowOf(table, metric.join('\n'), comment));
      rows += 1;
      [comment, metric] = [[], []];
    } else if (line.startsWith('//')) {
      comment.push(line.slice(3));
    } else if (line === '') {
      if (rows > 0 || comment.length > 0) lines.push(...comment, '');
      [comment, rows] = [[], 0];
    } else {
      throw new Error(`${table}: neither a comment nor a metric: ${line}`);
    }
  }
  return lines;
}
