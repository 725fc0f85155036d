// How much the OpenAPI document proves: it must refuse each of its own examples with a field too many, too few
// or of another type. Needs no server.
//   PIXLEDGER_OPENAPI  the document, as the build bundles it (required)
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Document } from './api/document.mjs';

const path = process.env.PIXLEDGER_OPENAPI;
if (!path) throw new Error('set PIXLEDGER_OPENAPI');
const document = new Document(JSON.parse(readFileSync(path, 'utf8')));
// The one answer that is not ours to describe: an OpenAPI document.
const answers = document
  .answers()
  .filter(({ operation, mediaType }) => operation.id !== 'getDocument' && mediaType.endsWith('json'));
// Fields that an answer may lack.
const optional = ['message', 'timezone']; // the latter of lists that take no dates

// The way to each value inside a value: [], ['data'], ['data', 0] …
function ways(value, way = []) {
  if (typeof value !== 'object' || value === null) return [way];
  return [way, ...Object.keys(value).flatMap((key) => ways(value[key], [...way, key]))];
}

const at = (value, way) => way.reduce((found, key) => found[key], value);

function refuses({ operation, status, mediaType, body }, way, change, what) {
  const changed = structuredClone({ body });
  change(changed, ['body', ...way]);
  assert.throws(
    () => document.checkBody(operation, status, mediaType, changed.body),
    assert.AssertionError,
    `${operation.id} ${status}: ${what} at /${way.join('/')}`,
  );
}

test('there are examples of every answer', () => {
  for (const { id, responses } of document.operations.values()) {
    for (const [status, { value }] of responses) {
      for (const [type, content] of Object.entries(value.content ?? {}))
        if (!/officedocument|image\/png/.test(type)) // binary files
          assert.ok(content.example ?? content.examples, `${id} ${status}`);
    }
  }
});

test('operations are told apart by their titles', () => {
  const titles = [...document.operations.values()].map(({ id, title }) => ({ id, title }));
  for (const { id, title } of titles)
    assert.deepEqual(
      titles.filter((other) => other.title === title).map((other) => other.id),
      [id],
    );
});

test('a body may say no more than the operation knows, in each of its objects', () => {
  for (const operation of document.operations.values()) {
    for (const body of document.bodies(operation)) {
      document.checkRequest(operation, { body });
      for (const way of ways(body)) {
        const value = at(body, way);
        if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
        const changed = structuredClone({ body });
        at(changed, ['body', ...way]).surprise = 1;
        assert.throws(
          () => document.checkRequest(operation, changed),
          assert.AssertionError,
          `${operation.id}: one field more at /${way.join('/')}`,
        );
      }
    }
  }
});

test('texts that the service refuses are refused by their patterns', () => {
  const operation = document.operations.get('createTransaction');
  const [least] = document.bodies(operation);
  const named = (name) => ({ body: { ...least, customer: { ...least.customer, name } } });
  for (const good of ['Ana', ' Ana Lima ', 'João 日本', 'www'])
    document.checkRequest(operation, named(good));
  for (const bad of ['', ' ', '\u00a0', 'A\nB', 'A\u0085', 'A\u007f', 'http://a', 'WWW.a'])
    assert.throws(() => document.checkRequest(operation, named(bad)), assert.AssertionError, JSON.stringify(bad));
});

test('every example is allowed', () => {
  for (const { operation, status, mediaType, body } of answers)
    document.checkBody(operation, status, mediaType, body);
});

test('a field too many is refused', () => {
  for (const answer of answers) {
    for (const way of ways(answer.body)) {
      const value = at(answer.body, way);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
      refuses(
        answer,
        way,
        (changed, to) => {
          at(changed, to).surprise = 1;
        },
        'one field more',
      );
    }
  }
});

test('a field too few is refused', () => {
  for (const answer of answers) {
    for (const way of ways(answer.body).slice(1)) {
      const name = way.at(-1);
      if (
        Array.isArray(at(answer.body, way.slice(0, -1))) ||
        (optional.includes(name) && 'data' in answer.body) ||
        ['metadata', 'headers'].includes(way.at(-2)) // names that are not the document's
      )
        continue;
      refuses(
        answer,
        way,
        (changed, to) => {
          delete at(changed, to.slice(0, -1))[name];
        },
        'one field less',
      );
    }
  }
});

test('a value of another type is refused', () => {
  for (const answer of answers) {
    for (const way of ways(answer.body)) {
      const isObject = typeof at(answer.body, way) === 'object' && at(answer.body, way) !== null;
      refuses(
        answer,
        way,
        (changed, to) => {
          at(changed, to.slice(0, -1))[to.at(-1)] = isObject ? 7 : {};
        },
        'another type',
      );
    }
  }
});
