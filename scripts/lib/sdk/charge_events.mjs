// Usage: node charge_events.mjs ROOT [--check]
//
// Writes what the SDKs know of the stored events of charges: type, name and fields of each, as domain/aggregates and
// eventstore/codec/events.fbs have them. With --check it writes nothing, names each file that is out of date, and
// fails.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readKinds, readNames, readSchema, schemaPath } from '../reference/events.mjs';

const [given, mode] = process.argv.slice(2);
const root = resolve(given);

// What a reader does with a member of this type.
const forms = {
  id: ['ChargeId', 'CustomerId', 'ConnectionId', 'CheckoutSessionId'],
  endToEndId: ['EndToEndId'],
  returnId: ['ReturnId'],
  refundId: ['RefundId'],
  text: ['std::string', 'ExternalId', 'ProductName', 'OriginHost'],
  uint32: ['std::uint32_t'],
  bool: ['bool'],
  cents: ['Cents'],
  time: ['Timestamp'],
  environment: ['Environment'],
  codeKind: ['CodeKind'],
  codeFallback: ['CodeFallback'],
  flag: ['PaymentFlag'],
  ip: ['IpAddress'],
  reason: ['Label'],
  metadata: ['Metadata'],
};
const formOf = new Map(Object.entries(forms).flatMap(([form, types]) => types.map((type) => [type, form])));

function chargeEvents() {
  const header = readFileSync(join(root, 'domain/aggregates/charge.h'), 'utf8');
  const [, listed] = /^using ChargeEvent =\s+std::variant<([^>]+)>;/m.exec(header);
  const names = readNames(root);
  const schema = readSchema(join(root, schemaPath));
  const fieldsOf = (event) => {
    const stored = schema.get(event).fields.map(({ name }) => name);
    return (names.get(event) ?? []).map((field) => {
      const form = field.kind === 'envelope_' ? 'project' : formOf.get(field.type);
      if (!form) throw new Error(`${event}: the SDKs do not read ${field.type}; teach them, and scripts/lib/sdk`);
      const isPersonal = field.kind === 'personal_';
      const place = isPersonal || form === 'project' ? -1 : stored.indexOf(field.stored);
      if (place < 0 && !isPersonal && form !== 'project')
        throw new Error(`${schemaPath}: ${event} lacks ${field.stored}`);
      // Receipts leave out metadata that is absent.
      const isLeftOut = field.isOnlyIfSet || form === 'metadata';
      return [field.shown, form, place, isLeftOut ? 'left out' : field.isOptional ? 'null' : 'required'];
    });
  };
  const events = new Set(listed.split(/[\s,]+/));
  return readKinds(root)
    .filter(([, event]) => events.has(event))
    .map(([number, event]) => [number, event, fieldsOf(event)]);
}

const events = chargeEvents();
const made = 'Made by scripts/lib/sdk/charge_events.mjs.';
const meaning = 'Each field: its name in receipts, its form, its place in the facts, and what it is when absent.';

// Literals of arrays are the same in all three languages.
function linesOf(indent, quote, begin, end) {
  const quoted = (text) => `${quote}${text}${quote}`;
  return events.flatMap(([number, event, fields]) => {
    const [head, tail] = [`${indent}${begin(number)}${quoted(event)}, [`, `]${end},`];
    if (fields.length === 0) return [`${head}${tail}`];
    const inner = indent.repeat(2).slice(0, indent.length + 4);
    const rows = fields.map(
      ([name, form, place, absent]) => `${inner}[${quoted(name)}, ${quoted(form)}, ${place}, ${quoted(absent)}],`,
    );
    return [head, ...rows, `${indent}${tail}`];
  });
}

const files = {
  'sdk/node/lib/charge-event-fields.cjs': [
    "'use strict';",
    '',
    `// ${made}`,
    `// ${meaning}`,
    'module.exports = {',
    ...linesOf('  ', "'", (number) => `${number}: [`, ']'),
    '};',
  ],
  'sdk/python/pixledger/_charge_event_fields.py': [
    `"""${made}`,
    '',
    `${meaning}`,
    '"""',
    '',
    'from typing import Any, Dict, List, Tuple',
    '',
    'EVENTS: Dict[int, Tuple[str, List[Any]]] = {',
    ...linesOf('    ', '"', (number) => `${number}: (`, ')'),
    '}',
  ],
  'sdk/php/src/Internal/ChargeEventFields.php': [
    '<?php',
    '',
    'declare(strict_types=1);',
    '',
    'namespace Pixledger\\Internal;',
    '',
    '/**',
    ` * ${made}`,
    ' *',
    ` * ${meaning}`,
    ' */',
    'final class ChargeEventFields',
    '{',
    '    /** By type: its name and fields. */',
    '    public const EVENTS = [',
    ...linesOf('        ', "'", (number) => `${number} => [`, ']'),
    '    ];',
    '}',
  ],
};

const texts = Object.entries(files).map(([path, lines]) => [path, `${lines.join('\n')}\n`]);
const stale = texts.filter(([path, text]) => {
  const file = join(root, path);
  return !existsSync(file) || readFileSync(file, 'utf8') !== text;
});
for (const [path, text] of stale) {
  if (mode === '--check') console.error(`${path} is out of date: node scripts/lib/sdk/charge_events.mjs .`);
  else writeFileSync(join(root, path), text);
}
if (mode === '--check' && stale.length > 0) process.exitCode = 1;
