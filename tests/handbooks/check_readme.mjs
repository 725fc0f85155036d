// Usage: node check_readme.mjs
//
// Does what README.md shows: its first charge is created at a fresh service by the command as it stands, and the answer
// has the fields, the kinds of values and the state that the page shows. Its other blocks say why they are not run.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCommand, isRun, parse, root } from './pages.mjs';

const bin = process.env.PIXLEDGER_BIN_DIR;
if (!bin) throw new Error('set PIXLEDGER_BIN_DIR');

const { blocks, problems } = parse('README.md', readFileSync(join(root, 'README.md'), 'utf8'));
assert.deepEqual(problems, []);
assert.equal(blocks.filter(isRun).length, 1, 'one block creates the first charge; the others are marked "not run"');
const at = blocks.findIndex(isRun);
assert.match(blocks[at].text, /^curl /);
assert.equal(blocks[at + 1]?.language, 'json', 'the answer follows');
assert.ok(blocks.every((block) => isCommand(block) || block.language === 'json'));

// What a reader sees of a value: its kind, and texts of a known form by that form.
function shapeOf(value) {
  if (typeof value === 'string') {
    if (/^[a-z0-9]{25}$/.test(value)) return 'an id';
    if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return 'a time';
    if (value.startsWith('00020126')) return 'a code';
    return value.replace(/[a-z0-9]{25}/, 'ID');
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]));
}

const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const directory = mkdtempSync(join(tmpdir(), 'pixledger-readme-'));
const port = await freePort();
const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, PIXLEDGER_MAP_SIZE: '1GiB', no_proxy: '*' };
const options = { cwd: directory, env, encoding: 'utf8' };
const project = ['--name', 'Minha Loja', '--pix-key', 'loja@example.com', '--merchant-city', 'RECIFE', '--json'];
const { testKey } = JSON.parse(execFileSync('pixledger', ['--data', 'data', 'project', 'create', ...project], options));
const server = spawn('pixledger-server', ['--data', 'data', '--listen', `127.0.0.1:${port}`], { ...options, stdio: 'ignore' });
try {
  const api = `http://127.0.0.1:${port}`;
  const isReady = () => fetch(`${api}/readyz`).then((answer) => answer.ok, () => false);
  while (!(await isReady())) {
    assert.equal(server.exitCode, null, 'the server ended');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const answer = execFileSync('bash', ['-euc', blocks[at].text], { ...options, env: { ...env, API: api, KEY: testKey } });
  assert.deepEqual(shapeOf(JSON.parse(answer)), shapeOf(JSON.parse(blocks[at + 1].text)));
} finally {
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('exit', resolve));
  rmSync(directory, { recursive: true, force: true });
}
