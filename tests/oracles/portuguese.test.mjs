// Every text of the OpenAPI document has its Portuguese twin beside it: "x-pt-summary" beside "summary". Needs no server.
//   PIXLEDGER_OPENAPI  the document, as the build bundles it (required)
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const path = process.env.PIXLEDGER_OPENAPI;
if (!path) throw new Error('set PIXLEDGER_OPENAPI');
const document = JSON.parse(readFileSync(path, 'utf8'));

// [{place, text, twin}] of each summary and description; the values of examples are data. Below `properties` and the like
// every name is a field's or a part's own.
const named = ['properties', 'examples', 'parameters', 'headers', 'schemas', 'responses', 'securitySchemes', 'paths', 'webhooks'];
function textsOf(value, place = '', areNames = false, found = []) {
  if (Array.isArray(value)) value.forEach((each, i) => textsOf(each, `${place}/${i}`, false, found));
  else if (value !== null && typeof value === 'object') {
    for (const [name, each] of Object.entries(value)) {
      const at = `${place}/${name}`;
      if (!areNames && ['summary', 'description'].includes(name)) found.push({ place: at, text: each, twin: value[`x-pt-${name}`] });
      else if (areNames || !['value', 'example', 'default', 'enum', 'const'].includes(name))
        textsOf(each, at, !areNames && named.includes(name), found);
    }
  }
  return found;
}

test('every summary and description has a Portuguese twin, and the twin the same error codes', () => {
  const texts = textsOf(document);
  assert.ok(texts.length > 700, `${texts.length} texts`);
  const codesOf = (text) => (text.match(/ERR_[A-Z]+_[0-9]{3}/g) ?? []).sort();
  const wrong = texts.filter(({ text, twin }) => typeof twin !== 'string' || twin.trim() === '' || String(codesOf(text)) !== String(codesOf(twin)));
  assert.deepEqual(wrong.map(({ place }) => place), []);
});

test('every operation has a summary, and every tag a Portuguese name', () => {
  const operations = [document.paths, document.webhooks].flatMap((paths) => Object.values(paths).flatMap((item) => Object.values(item)))
    .filter(({ operationId }) => operationId);
  assert.ok(operations.length > 90, `${operations.length} operations`);
  for (const { operationId, summary, 'x-pt-summary': twin } of operations) assert.ok(summary && twin, operationId);
  for (const { name, 'x-pt-name': twin } of document.tags) assert.ok(twin, name);
});

test('a twin stands beside a text, and in no data', () => {
  const twins = JSON.stringify(document).match(/"x-pt-(?:summary|description)":/g).length;
  assert.equal(twins, textsOf(document).length);
});
