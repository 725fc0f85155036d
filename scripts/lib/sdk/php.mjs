// Usage: node php.mjs ROOT [--check]
//
// Writes sdk/php/src/Api: a class for each group of calls, as sdk/node/lib/operations.cjs has them, and array shapes
// for phpstan, as the OpenAPI document has them. With --check it writes nothing, names each file that is out of date,
// and fails.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { Document } from '../reference/openapi.mjs';
import { Shapes } from './php_shapes.mjs';

const [given, mode] = process.argv.slice(2);
const root = resolve(given);
const operations = createRequire(import.meta.url)(join(root, 'sdk/node/lib/operations.cjs'));
const receiptPath = '/api/v1/transactions/{id}/receipt';
// Arrays of PHP do not tell {} from []: a receipt that was parsed cannot be verified, nor kept.
operations.transactions.receiptText = ['idRaw', 'GET', receiptPath];
const document = new Document(root).json;
const folder = 'sdk/php/src/Api';
const head = `<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\\Api;
`;

// What each kind of operation takes before its options, and what becomes of the answer.
const kinds = {
  bare: { answer: 'data' },
  body: { parameters: ['body'], answer: 'data' },
  query: { parameters: ['query'], answer: 'data' },
  page: { parameters: ['query'], answer: 'page', iterator: 'items' },
  feed: { parameters: ['query'], answer: 'page', iterator: 'follow' },
  idBare: { parameters: ['id'], answer: 'data' },
  idBody: { parameters: ['id', 'body'], answer: 'data' },
  idQuery: { parameters: ['id', 'query'], answer: 'data' },
  idPage: { parameters: ['id', 'query'], answer: 'page', iterator: 'items' },
  idFeed: { parameters: ['id', 'query'], answer: 'page' },
  idText: { parameters: ['id', 'query'], answer: 'text' },
  idRaw: { parameters: ['id'], answer: 'text' },
  idBytes: { parameters: ['id', 'query'], answer: 'text' },
  state: { answer: 'data', isPublic: true },
  plain: { answer: 'whole', isPublic: true },
  text: { answer: 'text', isPublic: true },
};

const capital = (name) => name[0].toUpperCase() + name.slice(1);
const shapes = new Shapes(document);
const resolved = (value) => shapes.resolved(value);

// The answer's shape, of its `data` or the item of it; of feeds `meta` differs from that of pages.
function answerOf(operation) {
  const [, response] = Object.entries(operation.responses).find(([status]) => status.startsWith('2'));
  const schema = resolved(response).content?.['application/json']?.schema;
  return schema && shapes.propertiesOf(schema);
}

// The body, or the query, that a call takes.
function inputOf(operation, item) {
  if (operation.requestBody) return shapes.input(resolved(operation.requestBody).content['application/json'].schema);
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolved);
  return shapes.query(parameters.filter((each) => each.in === 'query'));
}

function resultOf(kind, method, answer) {
  if (kind.answer === 'text') return ['string', 'string'];
  if (kind.answer === 'whole') return ['array', 'array<string, mixed>'];
  const data = shapes.output(answer.data.schema);
  if (kind.answer === 'page') return ['array', `array{data: ${data}, meta: ${shapes.output(answer.meta.schema)}}`];
  return method === 'DELETE' ? ['?array', `${data}|null`] : ['array', data];
}

function method(name, parameters, returns, docs, body) {
  const list = [...parameters, 'array $options = []'].join(', ');
  return `    /**
${docs.flatMap((line) => shapes.wrapped(line, '     * ')).join('\n')}
     */
    public function ${name}(${list}): ${returns}
    {
        ${body}
    }`;
}

const sentence = (summary) => (/[.?]$/.test(summary) ? summary : `${summary}.`);

// The statement, on several lines if it is long.
function returning(called, given) {
  const line = `return ${called}(${given.join(', ')});`;
  return line.length <= 110 ? line : `return ${called}(\n            ${given.join(',\n            ')},\n        );`;
}

// The methods of an operation: the call, and its iterator.
function methodsOf(name, [kindName, verb, path]) {
  const kind = kinds[kindName];
  const item = document.paths[path];
  const operation = item[verb.toLowerCase()];
  const takes = kind.parameters ?? [];
  const native = takes.map((each) => (each === 'id' ? 'string $id' : `array $${each} = []`));
  if (takes.at(-1) === 'body' && !takes.includes('id')) native[0] = 'array $body';
  const input = takes.filter((each) => each !== 'id').map((each) => `@param ${inputOf(operation, item)} $${each}`);
  const place = takes.includes('id') ? `self::path('${path}', $id)` : `'${path}'`;
  const sent = takes.filter((each) => each !== 'id').map((each) => `${each}: $${each}`);
  if (kind.isPublic) sent.push('isPublic: true');
  const [returns, shape] = resultOf(kind, verb, answerOf(operation));
  const asText = kindName === 'idRaw' ? ['The whole answer as it came, for verifyReceipt.'] : [];
  const tags = [...input, '@param CallOptions $options', `@return ${shape}`];
  const docs = [sentence(operation.summary), ...asText, '', ...tags];
  const sending = [`'${verb}'`, place, '$options', ...sent];
  const methods = [method(name, native, returns, docs, returning(`$this->${kind.answer}`, sending))];
  if (!kind.iterator) return methods;
  const isFeed = kind.iterator === 'follow';
  const followed = 'Every event from `after` on, without a gap; waits for new ones, unless `stopWhenIdle`.';
  const iterated = [
    isFeed ? followed : `${operation.summary}: all, page by page.`,
    '',
    ...input,
    `@param ${isFeed ? 'FollowOptions' : 'CallOptions'} $options`,
    `@return \\Generator<int, ${shapes.output(answerOf(operation).data.schema.items)}, void, void>`,
  ];
  const read = takes.includes('id')
    ? `fn (array $query, array $options): array => $this->${name}($id, $query, $options)`
    : `$this->${name}(...)`;
  const body = returning(`Pages::${kind.iterator}`, [read, '$query', '$options']);
  return [...methods, method(isFeed ? 'follow' : `${name}All`, native, '\\Generator', iterated, body)];
}

function classOf(name, entries) {
  shapes.begin();
  const calls = Object.entries(entries).filter(([, entry]) => Array.isArray(entry));
  const parts = calls.flatMap(([each, entry]) => methodsOf(each, entry));
  const groups = Object.entries(entries).filter(([, entry]) => !Array.isArray(entry));
  if (groups.length > 0) parts.unshift(constructorOf(groups, name));
  const code = parts.join('\n\n');
  const imports = shapes.used().map((type) => ` * @phpstan-import-type ${type} from Types`);
  for (const type of ['CallOptions', 'FollowOptions'])
    if (new RegExp(`\\b${type}\\b`).test(code)) imports.push(` * @phpstan-import-type ${type} from Group`);
  const uses = code.includes('Pages::') ? '\nuse Pixledger\\Internal\\Pages;\n' : '';
  const comment = imports.length > 0 ? `\n/**\n${imports.join('\n')}\n */` : '';
  return `${head}${uses}${comment}\nfinal class ${name} extends Group\n{\n${code}\n}\n`;
}

function constructorOf(groups, prefix) {
  const fields = groups.map(([name]) => `    public readonly ${prefix}${capital(name)} $${name};`);
  const made = groups.map(([name]) => `        $this->${name} = new ${prefix}${capital(name)}($transport);`);
  return `${fields.join('\n')}

    public function __construct(\\Pixledger\\Internal\\Transport $transport)
    {
        parent::__construct($transport);
${made.join('\n')}
    }`;
}

const files = {};
function addGroup(name, entries) {
  files[`${name}.php`] = classOf(name, entries);
  for (const [each, entry] of Object.entries(entries))
    if (!Array.isArray(entry)) addGroup(`${name}${capital(each)}`, entry);
}
for (const [name, entries] of Object.entries(operations)) addGroup(capital(name), entries);
for (const [name, text] of Object.entries(shapes.files())) files[name] = `${head}\n${text}`;

const path = join(root, folder);
const old = existsSync(path) ? readdirSync(path) : [];
const problems = [];
mkdirSync(path, { recursive: true });
for (const name of new Set([...old, ...Object.keys(files)])) {
  const file = join(path, name);
  if (name === 'Group.php') continue; // written by hand
  if (mode !== '--check') {
    if (files[name] === undefined) rmSync(file);
    else writeFileSync(file, files[name]);
  } else if (!old.includes(name) || readFileSync(file, 'utf8') !== files[name]) {
    problems.push(`${folder}/${name}: is out of date; run scripts/lib/sdk/php.mjs`);
  }
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
