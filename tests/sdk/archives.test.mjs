// What scripts/sdk writes installs in an empty project, and is complete there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [, version] = /^project\(pixledger VERSION ([0-9.]+)/m.exec(readFileSync(join(root, 'CMakeLists.txt'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'pixledger-archives-'));
after(() => rmSync(folder, { recursive: true }));
let archives;
before(() => {
  archives = execFileSync(join(root, 'scripts/sdk'), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    .trim()
    .split('\n');
});
const archive = (end) => archives.find((each) => each.endsWith(end));

function project(name) {
  const directory = join(folder, name);
  mkdirSync(directory);
  const env = {
    ...process.env,
    PYTHONPATH: '',
    COMPOSER_HOME: join(folder, 'composer'),
    COMPOSER_ALLOW_SUPERUSER: '1',
  };
  const run = (program, ...parameters) =>
    execFileSync(program, parameters, { cwd: directory, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return { directory, run };
}

// What each language says of a webhook without a signature.
const refused = 'missing_header';

test('there are four archives of this version', () => {
  const names = archives.map((each) => each.slice(each.lastIndexOf('/') + 1));
  assert.deepEqual(names, [
    `pixledger-sdk-${version}.tgz`,
    `pixledger-${version}-py3-none-any.whl`,
    `pixledger-${version}.tar.gz`,
    `pixledger-sdk-php-${version}.zip`,
  ]);
  for (const each of archives) assert.ok(existsSync(each), each);
});

test('npm installs its own, without a network', () => {
  const { directory, run } = project('node');
  writeFileSync(join(directory, 'package.json'), '{"private": true}');
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', archive('.tgz'));
  const program = `
    import { PixledgerClient, verifyCheckpoint, verifyReceipt, verifyReturn, verifyWebhook } from '@pixledger/sdk';
    for (const each of [PixledgerClient, verifyCheckpoint, verifyReceipt, verifyReturn])
      if (typeof each !== 'function') throw new Error('it is no function');
    try { verifyWebhook('{}', {}, 'secret'); } catch (error) { console.log(error.code); }`;
  assert.equal(run('node', '--input-type=module', '--eval', program), `${refused}\n`);
});

const python = `
import pixledger, importlib.metadata, pathlib
from pixledger import PixledgerClient, verify_checkpoint, verify_receipt, verify_return, verify_webhook
assert importlib.metadata.version("pixledger") == "${version}" == pixledger.__version__
assert (pathlib.Path(pixledger.__file__).parent / "py.typed").exists()
try:
    verify_webhook(b"{}", {}, "secret")
except pixledger.WebhookVerificationError as error:
    print(error.code, pixledger.__file__)`;

for (const [kind, end, options] of [
  ['wheel', '.whl', []],
  ['sources', '.tar.gz', ['--no-build-isolation']],
]) {
  test(`pip installs the ${kind}, without a network`, () => {
    const { directory, run } = project(kind);
    // The packages of the system make sources a wheel.
    run('/usr/bin/python3', '-m', 'venv', ...(options.length > 0 ? ['--system-site-packages'] : []), 'venv');
    run('venv/bin/pip', 'install', '--quiet', '--no-index', ...options, archive(end));
    const [code, file] = run('venv/bin/python', '-c', python).trim().split(' ');
    assert.equal(code, refused);
    assert.ok(file.startsWith(directory), file);
  });
}

const php = (autoload) => `
  require '${autoload}';
  foreach (['verifyCheckpoint', 'verifyReceipt', 'verifyReturn'] as $name)
    function_exists("Pixledger\\\\{$name}") || exit($name);
  class_exists('Pixledger\\PixledgerClient') || exit('no client');
  try { Pixledger\\verifyWebhook('{}', [], 'secret'); }
  catch (Pixledger\\WebhookVerificationError $error) { echo $error->errorCode; }`;

test('PHP requires what is unzipped', () => {
  const { directory, run } = project('php');
  run(
    'php',
    '-r',
    `$zip = new ZipArchive(); exit($zip->open('${archive('.zip')}') === true && $zip->extractTo('.') ? 0 : 1);`,
  );
  assert.equal(run('php', '-r', php('autoload.php')), refused);
  for (const name of ['composer.json', 'README.md', 'LICENSE']) assert.ok(existsSync(join(directory, name)), name);
  assert.ok(!readdirSync(directory).includes('conformance'));
  // The shop that the documents try out runs where it was unzipped.
  assert.throws(
    () => run('php', 'example/shop/cron.php'),
    ({ stdout, stderr }) => /set SHOP_DATABASE/.test(stdout + stderr),
  );
});

test('Composer installs the same archive, without a network', () => {
  const { directory, run } = project('composer-shop');
  const repositories = [{ type: 'artifact', url: join(root, 'build/sdk') }, { packagist: false }];
  writeFileSync(
    join(directory, 'composer.json'),
    JSON.stringify({ repositories, require: { 'pixledger/sdk': version } }),
  );
  run('composer', 'install', '--no-interaction', '--quiet');
  assert.equal(run('php', '-r', php('vendor/autoload.php')), refused);
});
