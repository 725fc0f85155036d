// Every SDK means the same: each runs the vectors of sdk/conformance, and finds those that are wrong.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { text } from '../../sdk/conformance/make.mjs';
import { interpreters, skipOf } from './interpreters.mjs';

const sdk = fileURLToPath(new URL('../../sdk', import.meta.url));
const vectors = JSON.parse(text);

// The lines of a language's conformance, and its exit status.
async function run(language, folder = sdk) {
  const file = join(folder, language, 'conformance');
  const { code = 0, stdout } = await promisify(execFile)(interpreters[language], [file], { maxBuffer: 1e8 }).catch(
    (error) => error,
  );
  return { code, lines: stdout.split('\n').slice(0, -1) };
}

// Of each kind of expectation a vector, and what is wrong about it.
const wrongs = [
  ['webhook: v2', { result: {} }],
  ['webhook: another body', { code: 'missing_header' }],
  ['webhook: a parsed body', { code: 'missing_header' }],
  ['signed body: white space', { wrongUse: true }],
  ['return: an address', { result: null }],
  ['return: nothing', { result: {} }],
  ['receipt: a charge that is paid', { reason: 'incomplete' }],
  ['receipt: the text {}', { reason: 'not_signed' }],
  ['checkpoint: of the ledger', { reason: 'not_signed' }],
  ['checkpoint: empty', { wrongUse: true }],
  ['client: PATCH', { result: { id: 'c2' } }],
  ['client: PATCH', { requests: [{ method: 'PUT' }] }],
  ['client: PATCH', { requests: [{ body: {} }] }],
  ['client: PATCH', { requests: [{ body: null }] }],
  ['client: PATCH', { requests: [{ headers: { authorization: null } }] }],
  ['client: PATCH', { requests: [] }],
  ['client: PATCH', { attempts: 2 }],
  ['client: PATCH', { idempotencyKey: null }],
  ['client: PATCH', { idempotencyKey: 'order-1' }],
  ['client: DELETE', { idempotencyKey: 'uuid' }],
  ['client: PATCH', { error: { class: 'ApiError' } }],
  ['client: PATCH', { atLeastMs: 10_000 }],
  ['client: PATCH', { atMostMs: 0 }],
  ['client: an empty id', { error: { class: 'ApiError' } }],
  ['client: bytes are given as they are', { resultBase64: 'AAAA' }],
  ['client: HTML of 404', {}],
  ['client: HTML of 404', { error: { class: 'ConnectionError' } }],
  ['client: HTML of 404', { error: { class: 'ApiError', code: 'ERR_X_001' } }],
  ['client: no answer in time', { error: { class: 'ConnectionError' } }],
  ['client: a certificate that is not trusted', { error: { class: 'ConnectionError' }, connections: 2 }],
  ['client: no key', {}],
  ['pagination: all pages', { items: [] }],
  ['follow: two restores', { items: [], cutOff: ['e5'] }],
  ['secrets: an error of the API', { hidden: ['ERR_AUTH_001'] }],
];

test('the vectors are what make.mjs makes, and many', () => {
  assert.equal(readFileSync(join(sdk, 'conformance/vectors.json'), 'utf8'), text);
  assert.ok(vectors.length > 400);
});

for (const language of Object.keys(interpreters)) {
  const skip = await skipOf(language);
  test(`${language}: every vector is ok`, { skip }, async () => {
    const { code, lines } = await run(language);
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('ok ')),
      [],
    );
    assert.equal(code, 0);
    assert.deepEqual(
      lines,
      vectors.map(({ name }) => `ok ${name}`),
    );
  });

  test(`${language}: every wrong vector is not ok`, { skip }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pixledger-vectors-'));
    try {
      for (const each of ['conformance', language]) cpSync(join(sdk, each), join(folder, each), { recursive: true });
      const wrong = wrongs.map(([name, expect]) => ({ ...vectors.find((each) => each.name === name), expect }));
      writeFileSync(join(folder, 'conformance/vectors.json'), JSON.stringify(wrong));
      const { code, lines } = await run(language, folder);
      wrongs.forEach(([name, expect], i) =>
        assert.ok(lines[i]?.startsWith(`not ok ${name}: `), `${lines[i]} ${JSON.stringify(expect)}`),
      );
      assert.equal(code, 1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
