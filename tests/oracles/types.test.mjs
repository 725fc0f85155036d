// Clients whose types are made from the OpenAPI document by openapi-typescript, and that call with openapi-fetch:
// what the document shows as an example compiles under `tsc --strict`, and what the service refuses does not.
// Needs no server.
//   PIXLEDGER_OPENAPI  the document, as the build bundles it (required)
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Document } from './api/document.mjs';

const path = process.env.PIXLEDGER_OPENAPI;
if (!path) throw new Error('set PIXLEDGER_OPENAPI');
const document = new Document(JSON.parse(readFileSync(path, 'utf8')));
const modules = fileURLToPath(new URL('node_modules', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pixledger-types-'));
after(() => rmSync(folder, { recursive: true }));
symlinkSync(modules, join(folder, 'node_modules'));

const head = `import createClient from 'openapi-fetch';
import type { paths } from './api.js';
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1', headers: { Authorization: 'Bearer key' } });
`;

function run(program, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(modules, program), ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

const compilerOptions = {
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
};

// What the compiler says of a source; empty when nothing.
function compile(source) {
  writeFileSync(join(folder, 'client.ts'), source);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }));
  const { status, output } = run('typescript/bin/tsc', '--project', '.');
  assert.equal(status === 0, output === '', output);
  return output;
}

function call({ method, path: template, parameters }, body) {
  const needed = (place) => parameters.filter((one) => one.required && one.in === place);
  const sample = ({ schema, example }) => schema.enum?.[0] ?? (schema.type === 'integer' ? 1 : (example ?? 'x'));
  const places = ['path', 'query', 'header'].filter((place) => needed(place).length > 0);
  const samples = places.map((place) => [place, Object.fromEntries(needed(place).map((one) => [one.name, sample(one)]))]);
  const params = samples.length > 0 ? { params: Object.fromEntries(samples) } : {};
  const options = body === undefined ? params : { ...params, body };
  return `await client.${method}('${template}', ${JSON.stringify(options)});`;
}

test('types are made from the document', () => {
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  const { status, output } = run('openapi-typescript/bin/cli.js', path, '--output', 'api.d.ts');
  assert.equal(status, 0, output);
});

// One compilation for all, since each takes its time.
test('every operation compiles with each example of its body, and without what is required it does not', () => {
  const calls = [...document.operations.values()].flatMap((operation) =>
    operation.body ? document.bodies(operation).map((body) => call(operation, body)) : [call(operation)],
  );
  assert.ok(calls.length > document.operations.size);

  const creation = document.operations.get('createTransaction');
  const [least] = document.bodies(creation);
  const { amountCents } = least.payment;
  const refused = `// @ts-expect-error There is no product.
${call(creation, { ...least, payment: { amountCents } })}
`;

  const answers = `
const { data, error } = await client.GET('/api/v1/transactions/{id}', { params: { path: { id: 'c' } } });
if (data) {
  const cents: number = data.data.amountCents;
  const paidAt: string | null = data.data.paidAt;
  const status: 'waiting_payment' | 'processing' | 'paid' | 'expired' | 'cancelled' | 'refunded' | 'failed' =
    data.data.status;
  String([cents, paidAt, status]);
} else {
  const requestId: string = error.requestId;
  String(requestId);
}
`;
  assert.equal(compile([head, ...calls, refused, answers].join('\n')), '');
});
