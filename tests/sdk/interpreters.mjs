// Which languages' interpreters are there: their SDKs are tested where they are.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

export const interpreters = { node: process.execPath, php: 'php', python: 'python3' };

// For node:test: false, or why the language is skipped.
export async function skipOf(language) {
  const isThere = await promisify(execFile)(interpreters[language], ['--version']).then(
    () => true,
    (error) => error.code !== 'ENOENT',
  );
  return !isThere && `there is no ${interpreters[language]}`;
}
