// log-messages.md: every message that the sources log. What it means and what to do is in log_advice.json, where
// *PixledgerDown* stands for the runbook of that alert.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bullets, code, sourcesIn, table, wrapped } from './markdown.mjs';

const folders = ['base', 'eventstore', 'http', 'web', 'workers', 'tools', 'projections', 'stores'];
const advicePath = 'scripts/lib/reference/log_advice.json';

// The programs that log what a source says. The first that fits.
const programs = [
  [/^http\//, 'server'],
  [/^web\//, 'web'],
  [/^workers\/webhooks\//, 'webhooks'],
  [/^workers\/emails\//, 'emails'],
  [/^workers\/expiry\//, 'expiry'],
  [/^workers\//, 'workers'],
  [/^tools\//, 'up'],
  [/^(base|eventstore|projections|stores)\//, 'all'],
];
const order = ['up', 'all', 'server', 'web', 'workers', 'webhooks', 'emails', 'expiry'];

// A call of a logger: its level, or the level among its arguments, and its arguments up to the end of the statement, of
// which the first is the message.
const call = /\b\w*logger\w*(?:\.|->)(info|warning|error|log)\(\s*((?:[^";]|"(?:[^"\\]|\\.)*")*);/gis;
const literal = /^(?:(?:LogLevel::k(Info|Warning|Error)|level),\s*)?((?:"(?:[^"\\]|\\.)*"\s*)+)/;
// The logger's own messages.
const ownPath = 'base/process/logging.cpp';
const ownCall = /\b(line)_of\((LogLevel::k\w+,\s*"[^;]*);/g;

function callsIn(root, path) {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(path === ownPath ? ownCall : call)].map(([, method, rest]) => {
    const found = literal.exec(rest);
    if (!found) throw new Error(`${path}: a logged message is no literal: ${rest.slice(0, 60)}`);
    return {
      message: [...found[2].matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part]) => part).join(''),
      level: (/^(info|warning|error)$/i.test(method) ? method : (found[1] ?? 'by outcome')).toLowerCase(),
      fields: [...rest.slice(found[0].length).matchAll(/\{\s*"(\w+)",/g)].map(([, field]) => field),
    };
  });
}

function messagesOf(root) {
  const messages = new Map();
  for (const path of sourcesIn(root, folders, /\.cpp$/)) {
    for (const { message, level, fields } of callsIn(root, path)) {
      const known = messages.get(message) ?? { level, programs: new Set(), fields: new Set() };
      if (known.level !== level) throw new Error(`${path}: "${message}" has two levels`);
      known.programs.add(programs.find(([prefix]) => prefix.test(path))[1]);
      for (const field of fields) known.fields.add(field);
      messages.set(message, known);
    }
  }
  if (messages.size < 20) throw new Error(`the sources log only ${messages.size} messages`);
  return messages;
}

function check(messages, advice) {
  const problems = [];
  for (const message of messages.keys())
    if (!advice[message]) problems.push(`${advicePath} does not say what to do about "${message}"`);
  for (const message of Object.keys(advice))
    if (!messages.has(message)) problems.push(`${advicePath} has "${message}", which no program logs`);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

function withRunbooks(text, alerts) {
  return text.replaceAll(/\*(Pixledger\w+)\*/g, (_, alert) => {
    if (!alerts.has(alert)) throw new Error(`${advicePath} names ${alert}, which is no alert of packaging/prometheus`);
    return `[${alert}](../runbooks/${alert}.md)`;
  });
}

export function logMessages({ root }) {
  const advice = JSON.parse(readFileSync(join(root, advicePath), 'utf8'));
  const messages = messagesOf(root);
  check(messages, advice);
  const rules = sourcesIn(root, ['packaging/prometheus'], /\.yml$/);
  const text = rules.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
  const alerts = new Set([...text.matchAll(/^ *- alert: (\w+)$/gm)].map(([, alert]) => alert));
  const rank = ([message, { programs: by }]) => `${order.indexOf([...by][0])} ${message}`;
  const sorted = [...messages].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return [
    '# Log messages',
    '',
    ...wrapped(
      'Every message that a program logs, and what to do about it. Programs write one JSON object a line to stderr, or ' +
        'text with `--log-format text`; each has `time`, `level` and `message`, and the fields named here.',
    ),
    '',
    ...bullets(
      '`error` needs attention soon. A `warning` that continues raises an alarm.',
      'Each service begins with `starting`: its version, data directory, ledger, epoch, position and addresses, and ' +
        'whether its last run ended cleanly. A program that has to wait for another logs this too.',
      '*Programs*: `up` is `pixledger up`; `all` are `up` and all services with a data directory; `workers` is the ' +
        'worker for banks, or several workers. A level *by outcome* depends on the result.',
    ),
    '',
    ...table(
      ['message', 'level', 'programs', 'fields', 'what it means, and what to do'],
      sorted.map(([message, { level, programs: by, fields }]) => [
        message,
        level,
        [...by].join(', '),
        [...fields].map(code).join(' '),
        withRunbooks(advice[message], alerts),
      ]),
    ),
  ];
}
