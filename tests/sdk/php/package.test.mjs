// What a merchant gets: with Composer, and without it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sdk } from './php.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pixledger-php-'));
after(() => rmSync(folder, { recursive: true }));
const read = (path) => readFileSync(join(root, path), 'utf8');
const php = (program) => execFileSync('php', ['-r', program], { cwd: folder, encoding: 'utf8' });

const sources = readdirSync(sdk, { recursive: true }).filter((name) => name.endsWith('.php'));

test('its files are PHP with strict types, and none prints anything', () => {
  assert.ok(sources.length > 30);
  for (const name of sources) {
    execFileSync('php', ['-l', join(sdk, name)], { stdio: 'pipe' });
    const text = read(`sdk/php/${name}`);
    assert.match(text, /^<\?php\n/, name);
    assert.match(text, /^declare\(strict_types=1\);$/m, name);
    assert.doesNotMatch(text, /\?>\s*$/, name);
  }
});

test('its comments are those that phpstan reads, and every type of theirs is declared', () => {
  const program = join(root, 'tests/sdk/php/docblocks.php');
  const check = (place) => execFileSync('php', [program, place], { encoding: 'utf8' });
  assert.match(check(sdk), /^\d{3,} comments\n$/);
  const broken = join(folder, 'broken');
  for (const [from, to] of [['array{', 'array{{'], ['@return Transaction\n', '@return Transactoin\n']]) {
    cpSync(sdk, broken, { recursive: true });
    const file = join(broken, 'src/Api/Transactions.php');
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    assert.throws(() => check(broken), /Command failed/);
  }
});

test('it has the version and the licence of the release', () => {
  const [, version] = /^project\(pixledger VERSION ([0-9.]+)/m.exec(read('CMakeLists.txt'));
  assert.ok(read('sdk/php/src/Internal/Transport.php').includes(`'pixledger-sdk-php/${version}'`));
  assert.equal(read('sdk/php/LICENSE'), read('LICENSE'));
});

test('its calls and types are those of the document', () => {
  execFileSync(process.execPath, [join(root, 'scripts/lib/sdk/php.mjs'), root, '--check']);
});

// Every class, and every function, of the package.
const classes = sources
  .filter((name) => name.startsWith('src/') && name !== 'src/functions.php')
  .map((name) => `Pixledger\\${name.slice('src/'.length, -'.php'.length).replaceAll('/', '\\')}`);
const useAll = (autoload) => `
  require '${autoload}';
  foreach (explode(' ', '${classes.join(' ')}') as $class) class_exists($class) || exit($class);
  foreach (['verifyWebhook', 'verifyReturn', 'verifyReceipt', 'verifyCheckpoint'] as $name)
    function_exists("Pixledger\\\\{$name}") || exit($name);
  echo 'all';`;

test('unzipped and required, everything is there', () => {
  cpSync(sdk, join(folder, 'unzipped'), { recursive: true });
  assert.equal(php(useAll('unzipped/autoload.php')), 'all');
});

test('Composer installs it, without a network', () => {
  const shop = join(folder, 'shop');
  mkdirSync(shop);
  const repositories = [{ type: 'path', url: sdk, options: { symlink: false } }, { packagist: false }];
  const require = { 'pixledger/sdk': '@dev' };
  writeFileSync(join(shop, 'composer.json'), JSON.stringify({ repositories, require }));
  const env = { ...process.env, COMPOSER_HOME: join(folder, 'composer'), COMPOSER_ALLOW_SUPERUSER: '1' };
  execFileSync('composer', ['install', '--no-interaction', '--quiet'], { cwd: shop, env, stdio: 'pipe' });
  assert.equal(php(useAll('shop/vendor/autoload.php')), 'all');
  execFileSync('composer', ['validate', '--strict', '--no-check-lock'], { cwd: sdk, env, stdio: 'pipe' });
});

test('the programs that its page shows are whole, and call what there is', () => {
  const page = read('sdk/php/README.md');
  const programs = [...page.matchAll(/^```php\n(.*?)^```$/gms)].map(([, text]) => text);
  assert.ok(programs.length >= 4);
  programs.forEach((text, i) => {
    const file = join(folder, `page-${i}.php`);
    writeFileSync(file, text);
    execFileSync('php', ['-l', file], { stdio: 'pipe' });
  });
  const all = programs.join('');
  for (const name of ['PixledgerClient', 'ApiError', 'verifyWebhook', 'verifyReceipt', 'verifyReturn', 'events->follow'])
    assert.ok(all.includes(name), name);
  for (const [, group, call] of all.matchAll(/\$client->(\w+)->(\w+)\(/g)) {
    const name = `${group[0].toUpperCase()}${group.slice(1)}`;
    assert.ok(read(`sdk/php/src/Api/${name}.php`).includes(`function ${call}(`), `${group} ${call}`);
  }
});
