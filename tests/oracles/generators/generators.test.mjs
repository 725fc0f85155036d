// Clients that others' generators make of the OpenAPI document compile under `tsc --strict`, and what the service
// refuses does not. Needs no server.
//   PIXLEDGER_OPENAPI  the document, as the build bundles it (required)
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const document = process.env.PIXLEDGER_OPENAPI;
if (!document) throw new Error('set PIXLEDGER_OPENAPI');
const modules = fileURLToPath(new URL('node_modules', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pixledger-generators-'));
after(() => rmSync(folder, { recursive: true }));
symlinkSync(modules, join(folder, 'node_modules'));
writeFileSync(join(folder, 'package.json'), '{"type": "module"}');

function run(program, ...args) {
  const { status, stdout, stderr } = spawnSync(join(modules, '.bin', program), args, { cwd: folder, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

const compilerOptions = {
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  strict: true,
  noEmit: true,
};

const order = (payment) => `{
  customer: { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' },
  payment: ${payment},
  originDomain: 'loja.example.com',
}`;
const good = "{ amountCents: 1990, product: 'Camiseta' }";

// Each with a program that creates a charge, and reads the amount of another.
const generators = {
  'openapi-ts': {
    args: ['--input', document, '--output', 'openapi-ts'],
    program: (body) => `import { createTransaction, getTransactionV1 } from './openapi-ts/index';
await createTransaction({ body: ${body} });
const { data } = await getTransactionV1({ path: { id: 'c1' } });
export const cents: number | undefined = data?.data.amountCents;`,
  },
  orval: {
    args: ['--input', document, '--output', 'orval/client.ts', '--client', 'fetch'],
    program: (body) => `import { createTransaction, getTransactionV1 } from './orval/client';
await createTransaction(${body});
const answer = await getTransactionV1('c1');
export const cents: number | undefined = answer.status === 200 ? answer.data.data.amountCents : undefined;`,
  },
  'swagger-typescript-api': {
    args: ['generate', '--path', document, '--output', 'swagger-typescript-api', '--name', 'client.ts'],
    program: (body) => `import { Api } from './swagger-typescript-api/client';
const client = new Api();
await client.api.createTransaction(${body});
export const cents: number = (await client.api.getTransactionV1('c1')).data.data.amountCents;`,
  },
};

for (const [name, { args, program }] of Object.entries(generators)) {
  test(`the client of ${name} compiles`, () => {
    const made = run(name, ...args);
    assert.equal(made.status, 0, made.output);
    const compile = (payment) => {
      writeFileSync(join(folder, 'program.ts'), program(order(payment)));
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: [`${name}/**/*.ts`, 'program.ts'] }));
      return run('tsc', '--project', '.');
    };
    const { status, output } = compile(good);
    assert.equal(output, '');
    assert.equal(status, 0);
    const refused = compile('{ amountCents: 1990 }').output;
    assert.match(refused, /^program\.ts.*error TS/);
    assert.match(refused, /product/);
  });
}
