// errors.md: the error codes of the API's sources. Meaning and advice are the summary and description of the code's
// example in http/openapi/examples/errors.json, or stand in transport_errors.json for those that the transport answers
// before there is an operation.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { code, sourcesIn, table, wrapped } from './markdown.mjs';
import { Document } from './openapi.mjs';

const examplesPath = 'http/openapi/examples/errors.json';
const pairsIn = (text, pattern, make) => [...text.matchAll(pattern)].map(([, ...groups]) => make(...groups));
const status = (name) => Number(name.slice(-3));

const named = /([45][0-9]{2}),\s*(?:\.code = )?"(ERR_[A-Z]+_[0-9]{3})"/g;
const bare = /(?:transport_error_reply\(\w+,|\{)\s*([45][0-9]{2}),(?!\s*"ERR_|\s*kInvalid)/g;

// Code → statuses, where both stand together, as in error(404, "ERR_…"; a status without a code is the transport's.
function codesOfSources(root) {
  const text = sourcesIn(root, ['base/http', 'http'], /\.(cpp|h)$/)
    // The table of all statuses' texts rejects nothing.
    .filter((path) => !path.endsWith('message/reply.cpp'))
    .map((path) => readFileSync(join(root, path), 'utf8').replaceAll(/^\s*\/\/.*$/gm, ''))
    .join('\n');
  const only = (pattern) => pattern.exec(text)[1];
  const pairs = [
    ...pairsIn(text, named, (number, name) => [name, Number(number)]),
    ...pairsIn(text, bare, (number) => [`ERR_HTTP_${number}`, Number(number)]),
    [only(/kInvalid = "(ERR_[A-Z]+_[0-9]{3})"/), 400],
    [only(/kSignInCode = "(ERR_[A-Z]+_[0-9]{3})"/), 401],
  ];
  const codes = new Map();
  for (const [name, number] of pairs) codes.set(name, (codes.get(name) ?? new Set()).add(number));
  const alone = [...text.matchAll(/ERR_[A-Z]+_[0-9]{3}/g)].map(([name]) => name).filter((name) => !codes.has(name));
  if (alone.length > 0) throw new Error(`the sources name no status for ${alone.join(', ')}`);
  return codes;
}

// Code → {statuses, operations}, by the examples of the operations' responses.
function codesOfDocument(operations) {
  const codes = new Map();
  for (const operation of operations) {
    for (const [number, { content = {} }] of operation.responses) {
      const examples = Object.values(content).flatMap((each) => Object.keys(each.examples ?? {}));
      for (const name of examples.filter((each) => each.startsWith('ERR_'))) {
        const known = codes.get(name) ?? { statuses: new Set(), operations: new Set() };
        codes.set(name, known);
        // "default" and "4XX" stand for all that the transport answers.
        known.statuses.add(/^[0-9]+$/.test(number) ? Number(number) : status(name));
        known.operations.add(operation);
      }
    }
  }
  return codes;
}

function whereOf(found, operations) {
  if (!found || found.size === operations.length) return 'any request';
  const own = [...found];
  const keyed = operations.filter(({ headers }) => headers.includes('Idempotency-Key'));
  if (own.length === keyed.length && keyed.every((each) => found.has(each))) return 'requests with `Idempotency-Key`';
  if (own.length <= 4) return own.map(({ name }) => code(name)).join('<br>');
  if (own.length > operations.length / 2) {
    const others = operations.filter((each) => !found.has(each));
    return `any request but ${others.map(({ name }) => code(name)).join(', ')}`;
  }
  const tags = [...new Set(own.map(({ tag }) => tag))];
  return tags.map((tag) => `${tag} (${own.filter((each) => each.tag === tag).length})`).join(', ');
}

function check(inSources, inDocument, texts) {
  const problems = [];
  for (const [name, { statuses }] of inDocument)
    for (const number of statuses)
      if (!inSources.get(name)?.has(number))
        problems.push(`the API's document has ${number} ${name}, the sources do not`);
  for (const [name, numbers] of inSources) {
    if (numbers.size > 1) problems.push(`${name} has several statuses: ${[...numbers].join(', ')}`);
    if (!texts[name]?.summary || !texts[name]?.description)
      problems.push(`${examplesPath} does not say what ${name} means (summary) and what to do (description)`);
    if (!inDocument.has(name) && !/^ERR_HTTP_(4..|505)$/.test(name))
      problems.push(`the API's document has no answer with ${name}`);
  }
  for (const name of Object.keys(texts))
    if (name.startsWith('ERR_') && !inSources.has(name)) problems.push(`no source answers ${name}`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

// The codes of requests and of the transport last.
const groups = ['VALIDATION', 'AUTH', 'IDEMPOTENCY', 'RATE'];
function rank(name) {
  const [, group] = name.split('_');
  const first = groups.indexOf(group);
  return `${first >= 0 ? first : group === 'HTTP' ? 9 : 5} ${name}`;
}

export function errors({ root }) {
  const document = new Document(root);
  const operations = document.operations();
  const inSources = codesOfSources(root);
  const inDocument = codesOfDocument(operations);
  const transport = JSON.parse(readFileSync(join(root, 'scripts/lib/reference/transport_errors.json'), 'utf8'));
  const texts = { ...document.examples, ...transport };
  check(inSources, inDocument, texts);
  const names = [...inSources.keys()].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return [
    '# Error codes',
    '',
    ...wrapped(
      'Every `code` of an error reply of the API, with its HTTP status. [Errors and retries]' +
        '(../how-to/merchants/errors-and-retries.md) shows a reply and what a client does with it.',
    ),
    '',
    ...wrapped(
      "Where a code comes from many operations, their groups in the API's document (`/openapi.json`) are named, with " +
        'the number of operations. *People* are those who have signed in to the dashboard.',
    ),
    '',
    ...table(
      ['code', 'status', 'where', 'meaning', 'what to do'],
      names.map((name) => [
        code(name),
        [...inSources.get(name)].join(', '),
        whereOf(inDocument.get(name)?.operations, operations),
        texts[name].summary,
        texts[name].description,
      ]),
    ),
  ];
}
