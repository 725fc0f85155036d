// What `npm pack` makes is what a merchant installs: complete, typed and loadable in both ways.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const sdk = fileURLToPath(new URL('../../sdk/node', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pixledger-package-'));
const shop = join(folder, 'shop');
let packed; // what npm says about the tarball

const run = (program, ...parameters) => {
  try {
    return execFileSync(program, parameters, { cwd: shop, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw new Error(`${program} ${parameters.join(' ')}: ${error.stdout}${error.stderr}`);
  }
};

before(() => {
  mkdirSync(shop);
  writeFileSync(join(shop, 'package.json'), '{"private": true}');
  [packed] = JSON.parse(run('npm', 'pack', sdk, '--pack-destination', folder, '--json'));
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename));
  // As a shop has them.
  for (const name of ['@types', 'undici-types'])
    symlinkSync(join(here, 'node_modules', name), join(shop, 'node_modules', name));
});
after(() => rmSync(folder, { recursive: true }));

test('it holds every file that it needs, and no other', () => {
  const expected = ['LICENSE', 'README.md', 'example/shop.mjs', 'package.json']
    .concat(['index.cjs', 'index.d.cts', 'index.d.mts', 'index.mjs'])
    .concat(readdirSync(join(sdk, 'lib')).map((name) => `lib/${name}`));
  assert.deepEqual(packed.files.map(({ path }) => path).sort(), expected.sort());
  assert.equal(readFileSync(join(sdk, 'LICENSE'), 'utf8'), readFileSync(join(here, '../../LICENSE'), 'utf8'));
});

test('it has the version of the release, which it also tells the server', () => {
  const [, version] = /^project\(pixledger VERSION ([0-9.]+)/m.exec(readFileSync(join(here, '../../CMakeLists.txt'), 'utf8'));
  assert.equal(packed.version, version);
  assert.ok(readFileSync(join(sdk, 'lib/transport.cjs'), 'utf8').includes(`pixledger-sdk-node/${version}`));
});

test('the SDKs read the events that the ledger stores', () => {
  const root = join(here, '../..');
  execFileSync(process.execPath, [join(root, 'scripts/lib/sdk/charge_events.mjs'), root, '--check']);
});

// The tests' own callers, with the SDK as they get it from npm.
const asInstalled = (name) => readFileSync(join(here, name), 'utf8').replaceAll(/'[./]+sdk\/node\/index\.[cm]js'/g, "'@pixledger/sdk'");
const compile = (...parameters) =>
  run('node', join(here, 'node_modules/typescript/bin/tsc'), '--noEmit', ...['--target', 'es2022', '--lib', 'es2022', '--types', 'node'], ...parameters);

// What must not compile is in the callers as well: types that were not found would be found out.
test('callers compile against it, as ES modules, as CommonJS and for bundlers', () => {
  const files = ['types-esm.mts', 'types-cjs.cts'];
  for (const file of files) {
    assert.match(asInstalled(file), /'@pixledger\/sdk'/);
    writeFileSync(join(shop, file), asInstalled(file));
  }
  compile('--strict', '--module', 'nodenext', ...files);
  compile('--strict', '--module', 'esnext', '--moduleResolution', 'bundler', '--skipLibCheck', files[0]);
});

test('it loads in both ways, as one', () => {
  const program = `
    import * as esm from '@pixledger/sdk';
    import { createRequire } from 'node:module';
    const cjs = createRequire(import.meta.url)('@pixledger/sdk');
    for (const [name, value] of Object.entries(cjs)) if (esm[name] !== value) throw new Error(name);
    console.log(Object.keys(cjs).length);`;
  assert.equal(run('node', '--input-type=module', '--eval', program), '10\n');
  run('node', '--check', join(shop, 'node_modules/@pixledger/sdk/example/shop.mjs'));
});

test('the programs that its page shows are whole, and call what there is', () => {
  const page = readFileSync(join(shop, 'node_modules/@pixledger/sdk/README.md'), 'utf8');
  const programs = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, text]) => text);
  const files = programs.map((_, i) => `page-${i}.mjs`);
  files.forEach((file, i) => writeFileSync(join(shop, file), programs[i].replaceAll(/process\.env\.[A-Z_]+/g, 'String($&)')));
  compile('--allowJs', '--checkJs', '--strict', '--noImplicitAny', 'false', '--skipLibCheck', '--module', 'nodenext', ...files);
  const names = programs.flatMap((text) => /import \{ ([^}]+) \} from '@pixledger\/sdk'/.exec(text)[1].split(', '));
  for (const name of ['PixledgerClient', 'ApiError', 'verifyWebhook', 'verifyReceipt', 'verifyReturn']) assert.ok(names.includes(name), name);
  assert.match(programs.join(), /events\.follow\(/);
});
