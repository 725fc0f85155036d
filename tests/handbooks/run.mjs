// Usage: node run.mjs JOURNEY | PAGE…
//
// Does what a reader of handbooks does: runs the blocks of several pages in their order, in one shell, in a fresh directory.
// A journey is a line of the file `journeys`. What becomes of a fenced block depends on its language, which is all that its
// info string holds, and on the comment on the line before it:
//
//   ```sh                       run, and so is `console`; every command must succeed
//   <!-- not run: WHY -->       listed at the end, and not run: it needs root, another machine or a network
//   <!-- file: NAME -->         written to the file NAME before what follows
//   ```output                   what the block before prints to stdout, among other lines, in this order; `…` stands for
//                               any text
//
// Others are not looked at. Addresses of this machine (127.0.0.1:PORT) are exchanged for free ones, the same throughout.
// PIXLEDGER is the path of this repository, SDK that of the package for PHP. Commands in the text itself must exist, with
// the options that are named.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { isCommand, isRun, parse, readJourneys, root } from './pages.mjs';

const blockTimeoutMs = 300_000;
const bin = process.env.PIXLEDGER_BIN_DIR;
if (!bin) throw new Error('set PIXLEDGER_BIN_DIR');
const given = process.argv.slice(2);
if (given.length === 0) throw new Error('which journey, or which pages?');

const isName = given.length === 1 && !given[0].endsWith('.md');
const journey = isName ? given[0] : given.map((path) => path.split('/').at(-1)).join(' ');
if (isName && !readJourneys().has(journey)) throw new Error(`tests/handbooks/journeys has no ${journey}`);
const paths = isName ? readJourneys().get(journey).map((page) => join(root, 'docs', page)) : given;

const fail = (place, message) => {
  console.error(`${place}: ${message}`);
  process.exitCode = 1;
};
const placeOf = (block) => `${block.page}:${block.line}`;

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

async function withFreePorts(texts) {
  const address = /127\.0\.0\.1:([1-9][0-9]*)/g;
  const named = [...new Set(texts.flatMap((text) => [...text.matchAll(address)].map(([, port]) => port)))];
  const free = await freePorts(named.length);
  return texts.map((text) => text.replace(address, (_, port) => `127.0.0.1:${free[named.indexOf(port)]}`));
}

// One shell script that tells on descriptor 3 where it is. Every block has files of its own for what it prints.
function scriptOf(blocks, folder) {
  const parts = ['set -Eeuo pipefail', "trap 'echo \"failed: $BASH_COMMAND\" >&3' ERR"];
  blocks.forEach((block, i) => {
    if (block.file) parts.push(`echo ${i} >&3`, `cp ${folder}/${i} ${block.file}`);
    else if (isRun(block)) parts.push(`echo ${i} >&3`, `source ${folder}/${i} >${folder}/${i}.out 2>${folder}/${i}.err </dev/null`);
  });
  return `${parts.join('\n')}\necho done >&3\n`;
}

function runScript(script, directory) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PIXLEDGER')));
  Object.assign(env, {
    PATH: `${realpathSync(bin)}:${process.env.PATH}`,
    PIXLEDGER: root,
    SDK: join(root, 'sdk/php'),
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
  const timer = setTimeout(() => {
    told += `failed: the block did not end in ${blockTimeoutMs / 1000} s\n`;
    stop('SIGTERM');
  }, blockTimeoutMs);
  shell.stdio[3].setEncoding('utf8').on('data', (part) => {
    told += part;
    timer.refresh();
  });
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
    if (isCommand(block)) last = { i, block };
    if (block.language !== 'output') return;
    if (last?.block.page !== block.page) fail(placeOf(block), 'an output without a block that prints it');
    else if (isRun(last.block)) {
      const printed = readFileSync(join(folder, `${last.i}.out`), 'utf8');
      const missing = missingLine(block.text, printed);
      if (missing !== undefined) fail(placeOf(block), `not printed: ${missing}\n--- printed was\n${printed}`);
    }
  });
}

const helps = new Map();
function helpOf(command) {
  const key = command.join(' ');
  if (!helps.has(key)) helps.set(key, spawnSync(join(bin, command[0]), [...command.slice(1), '--help'], { encoding: 'utf8' }).stdout ?? '');
  return helps.get(key);
}
const subcommandsOf = (help) => [...(help.split('\nSubcommands:\n')[1] ?? '').matchAll(/^ {2}([a-z-]+) /gm)].map(([, name]) => name);

// Commands that are named in the text: `pixledger charge confirm --id ID`.
function checkNames(page, prose) {
  for (const { 1: program, 2: rest, index } of prose.matchAll(/`(pixledger(?:-[a-z]+)?)((?: [^`]*)?)`/g)) {
    const place = `${page}:${prose.slice(0, index).split('\n').length}`;
    const command = [program];
    let help = helpOf(command);
    if (help === '') fail(place, `there is no program ${program}`);
    for (const word of rest.trim().split(/[\s=]+/)) {
      const names = subcommandsOf(help);
      if (names.length === 0 || !/^[a-z]+(-[a-z]+)*$/.test(word)) break;
      command.push(word);
      if (!names.includes(word)) fail(place, `there is no command ${command.join(' ')}`);
      help = helpOf(command);
    }
    const known = `${help}${helpOf([program])}`.split(/[\s,]+/);
    for (const [option] of rest.matchAll(/--[a-z-]+/g))
      if (!known.includes(option)) fail(place, `${command.join(' ')} has no option ${option}`);
  }
}

const missing = paths.filter((path) => !existsSync(path));
for (const path of missing) fail(path, 'there is no such page');
if (missing.length > 0) process.exit(1);

const texts = await withFreePorts(paths.map((path) => readFileSync(path, 'utf8')));
const nameOf = (path) => (isName ? relative(root, path) : path);
const pages = texts.map((text, i) => ({ name: nameOf(paths[i]), ...parse(nameOf(paths[i]), text) }));
for (const { name, problems } of pages) for (const { line, message } of problems) fail(`${name}:${line}`, message);
const all = pages.flatMap(({ blocks }) => blocks);

const directory = mkdtempSync(join(tmpdir(), 'pixledger-handbook-'));
const folder = join(directory, '.blocks');
const home = join(directory, 'reader');
mkdirSync(folder);
mkdirSync(home);
all.forEach((block, i) => writeFileSync(join(folder, String(i)), block.text));
const { told, stop } = await runScript(scriptOf(all, folder), home);
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
  fail(placeOf(all[at]), `${told.filter((line) => line.startsWith('failed: ')).at(-1) ?? 'ended too early'}\n${print('out')}${print('err')}`);
  for (const log of readdirSync(home).filter((name) => name.endsWith('.log')))
    console.error(`--- ${log}\n${readFileSync(join(home, log), 'utf8').slice(-4000)}`);
}
for (const { name, prose } of pages) checkNames(name, prose);
for (const block of all.filter((each) => isCommand(each) && each.notRun)) console.log(`${placeOf(block)}: was not run: ${block.notRun}`);
const count = all.filter(isRun).length;
console.log(`${journey}: ${count} blocks of ${pages.length} pages were ${process.exitCode ? 'to be run' : 'run'}`);
stop('SIGKILL');
rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
