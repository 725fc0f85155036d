// commands.md: the --help of each program and command.
import { helpOf, programs } from './help.mjs';
import { bullets, wrapped } from './markdown.mjs';

export async function commands({ bin }) {
  const lines = [
    '# Commands',
    '',
    ...wrapped(
      'What each program and command prints for `--help`. [Options](options.md) describes the options of services one ' +
        'by one, and the manual pages (`man pixledger`) say the same as this page.',
    ),
    '',
    ...bullets(
      'Options of `pixledger` itself, such as `--data`, stand before or after the name of a command.',
      'The exit code is 0 if all went well; 1 for a negative result (a verification failed, nothing was found, a ' +
        'request was rejected); 2 for an invalid option; 3 for a fault.',
    ),
  ];
  for (const program of programs) {
    for (const { path, text } of await helpOf(bin, program))
      lines.push('', `${path.length > 1 ? '###' : '##'} ${path.join(' ')}`, '', '```text', text.trimEnd(), '```');
  }
  return lines;
}
