// Usage: node run.mjs HANDBOOK
//
// Does what a handbook's reader does: runs its blocks in their order, in one shell, in a fresh directory. The info string of
// a fenced block, the first word of which is its language, says what becomes of it:
//
//   sh               run; every command must succeed
//   sh not-run=WHY   listed at the end, and not run: it needs root, another machine or a network
//   LANG file=NAME   written to the file NAME before what follows
//   output           what the block before prints to stdout, among other lines, in this order; `…` stands for any text
//
// Others are not looked at. Addresses of this machine (127.0.0.1:PORT) are exchanged for free ones, the same throughout.
// PIXLEDGER is the path of this repository. Commands in the text itself must exist, with the options that are named.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const timeoutMs = 300_000;
const bin = process.env.PIXLEDGER_BIN_DIR;
if (!bin) throw new Error('set PIXLEDGER_BIN_DIR');
const [handbook] = process.argv.slice(2);

const fail = (message) => {
  console.error(`${handbook}: ${message}`);
  process.exitCode = 1;
};

const isFree = (port) =>
  new Promise((resolve) => {
    const server = net.createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

// Below those that the system gives to outgoing connections.
async function freePorts(count) {
  const ports = new Set();
  while (ports.size < count) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function withFreePorts(text) {
  const address = /127\.0\.0\.1:([1-9][0-9]*)/g;
  const named = [...new Set([...text.matchAll(address)].map(([, port]) => port))];
  const free = await freePorts(named.length);
  return text.replace(address, (_, port) => `127.0.0.1:${free[named.indexOf(port)]}`);
}

// [{line, language, attributes, text}], and the text around the blocks.
function parse(text) {
  const blocks = [];
  const prose = [];
  let open;
  text.split('\n').forEach((line, i) => {
    const fence = /^```(.*)$/.exec(line);
    if (open && line === '```') open = undefined;
    else if (open) open.text += `${line}\n`;
    else if (fence) {
      const [language, ...rest] = fence[1].trim().split(/ +/);
      const attributes = Object.fromEntries(rest.map((each) => each.split('=')));
      blocks.push((open = { line: i + 1, language, attributes, text: '' }));
    } else prose.push(line);
  });
  return { blocks, prose: prose.join('\n') };
}

// One shell script that tells on descriptor 3 where it is. Every block has files of its own for what it prints.
function scriptOf(blocks, folder) {
  const parts = ['set -Eeuo pipefail', "trap 'echo \"failed: $BASH_COMMAND\" >&3' ERR"];
  blocks.forEach((block, i) => {
    if (block.attributes.file) {
      parts.push(`cp ${folder}/${i} ${block.attributes.file}`);
      return;
    }
    if (block.language !== 'sh') return;
    parts.push(`echo ${i} >&3`, `source ${folder}/${i} >${folder}/${i}.out 2>${folder}/${i}.err </dev/null`);
  });
  return `${parts.join('\n')}\necho done >&3\n`;
}

function runScript(script, directory) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PIXLEDGER')));
  Object.assign(env, {
    PATH: `${realpathSync(bin)}:${process.env.PATH}`,
    PIXLEDGER: fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, ''),
    PIXLEDGER_MAP_SIZE: '1GiB',
    TZ: 'UTC',
    no_proxy: '*',
  });
  // A session of its own: what it leaves running ends with it.
  const shell = spawn('bash', ['--norc', '-c', script], { cwd: directory, env, detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const stop = (signal) => {
    try {
      process.kill(-shell.pid, signal);
    } catch {
      // All have ended.
    }
  };
  let told = '';
  shell.stdio[3].setEncoding('utf8').on('data', (part) => {
    told += part;
  });
  const timer = setTimeout(() => stop('SIGTERM'), timeoutMs);
  return new Promise((resolve) => {
    shell.once('exit', () => {
      clearTimeout(timer);
      stop('SIGTERM');
      resolve({ told: told.trim().split('\n'), stop });
    });
  });
}

const patternOf = (line) =>
  new RegExp(`^${line.trimEnd().split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*')} *$`);

// The first expected line that is not found, in order, in what was printed.
function missingLine(expected, printed) {
  const lines = printed.split(/\r?\n/);
  let at = 0;
  for (const line of expected.split('\n').filter((each) => each.trim() !== '')) {
    const pattern = patternOf(line);
    while (at < lines.length && !pattern.test(lines[at])) at += 1;
    if (at === lines.length) return line;
    at += 1;
  }
  return undefined;
}

function checkOutputs(blocks, folder) {
  let last;
  blocks.forEach((block, i) => {
    if (block.language === 'sh') last = { i, wasRun: isRun(block) };
    if (block.language !== 'output' || !last?.wasRun) return;
    const printed = readFileSync(join(folder, `${last.i}.out`), 'utf8');
    const missing = missingLine(block.text, printed);
    if (missing !== undefined) fail(`line ${block.line}: not printed: ${missing}\n--- printed was\n${printed}`);
  });
}

// Commands that are named in the text: `pixledger charge confirm --id ID`.
function checkNames(prose) {
  for (const [, program, rest] of prose.matchAll(/`(pixledger(?:-[a-z]+)?)((?: [^`]*)?)`/g)) {
    const parts = rest.trim().split(/[\s=]+/);
    const length = parts.findIndex((part) => !/^[a-z]+(-[a-z]+)*$/.test(part));
    const path = parts.slice(0, length < 0 ? parts.length : length).filter((part) => part !== '');
    const { status, stdout } = spawnSync(join(bin, program), [...path, '--help'], { encoding: 'utf8' });
    if (status !== 0) fail(`there is no command ${program} ${path.join(' ')}`);
    const shared = spawnSync(join(bin, program), ['--help'], { encoding: 'utf8' }).stdout;
    for (const [option] of rest.matchAll(/--[a-z-]+/g))
      if (!`${stdout}${shared}`.split(/[\s,]+/).includes(option)) fail(`${program} ${path.join(' ')} has no option ${option}`);
  }
}

const isRun = ({ language, attributes }) => language === 'sh' && !('not-run' in attributes);

const source = readFileSync(handbook, 'utf8');
const { blocks: all, prose } = parse(await withFreePorts(source));
const directory = mkdtempSync(join(tmpdir(), 'pixledger-handbook-'));
const folder = join(directory, '.blocks');
const home = join(directory, 'reader');
mkdirSync(folder);
mkdirSync(home);
const used = all.map((block) => (block.language === 'sh' && !isRun(block) ? { ...block, language: 'skipped' } : block));
used.forEach((block, i) => writeFileSync(join(folder, String(i)), block.text));
const { told, stop } = await runScript(scriptOf(used, folder), home);
if (told.at(-1) === 'done') {
  checkOutputs(all, folder);
} else {
  const at = told.filter((line) => /^[0-9]+$/.test(line)).at(-1) ?? '0';
  const print = (stream) => {
    try {
      return readFileSync(join(folder, `${at}.${stream}`), 'utf8');
    } catch {
      return '';
    }
  };
  fail(`line ${used[at].line}: ${told.filter((line) => line.startsWith('failed: ')).at(-1) ?? 'ended too early'}\n${print('out')}${print('err')}`);
  for (const log of readdirSync(home).filter((name) => name.endsWith('.log')))
    console.error(`--- ${log}\n${readFileSync(join(home, log), 'utf8').slice(-4000)}`);
}
checkNames(prose);
for (const block of all.filter((each) => each.language === 'sh' && !isRun(each)))
  console.log(`${handbook}: line ${block.line} was not run: ${block.attributes['not-run']}`);
console.log(`${handbook}: ${all.filter(isRun).length} blocks were run`);
stop('SIGKILL');
rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
