// The bank as a program of its own, for tests that want what it prints and how it ends.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';

// {told, end}. told: what it printed first; end() ends it and resolves to {code, last: what it printed last}.
export async function runBank(...options) {
  const path = fileURLToPath(new URL('bank.mjs', import.meta.url));
  const child = spawn(process.execPath, [path, ...options], { stdio: ['pipe', 'pipe', 'ignore'] });
  process.once('exit', () => child.kill());
  const exit = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? 'null');
  const told = await next();
  const end = async () => {
    if (options.includes('--until-input-ends')) child.stdin.end();
    else child.kill('SIGTERM');
    return { code: await exit, last: await next() };
  };
  return { told, end };
}
