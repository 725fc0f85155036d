// Runs PHP with the SDK: a warning is a failure, as an exception is.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const sdk = fileURLToPath(new URL('../../../sdk/php', import.meta.url));
// As command lines have it by default: stack traces have arguments.
const settings = ['zend.exception_ignore_args=0', 'error_reporting=-1', 'display_errors=stderr', 'log_errors=0'];
const options = settings.flatMap((each) => ['-d', each]);
const php = (given, env) =>
  promisify(execFile)('php', [...options, ...given], { env: { ...process.env, ...env }, timeout: 60_000 });

// What a file prints.
export async function runFile(file, env = {}, more = []) {
  const { stdout, stderr } = await php([...more, file], env);
  if (stderr) throw new Error(stderr);
  return stdout;
}

// The JSON of what a program returns; `$input` is there.
export async function run(program, input = null, env = {}) {
  const text = `declare(strict_types=1);
    namespace Pixledger;
    set_error_handler(fn (int $level, string $message) => throw new \\ErrorException($message));
    require '${sdk}/autoload.php';
    $input = json_decode($argv[1], true);
    echo json_encode((function () use ($input) { ${program} })(), JSON_THROW_ON_ERROR);`;
  return JSON.parse((await php(['-r', text, '--', JSON.stringify(input)], env)).stdout);
}
