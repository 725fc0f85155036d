// events.md: every event with its fields. Kinds and names in the feed are in domain/aggregates/event.h, names in JSON
// beside the structs of domain/aggregates; stored fields, their types and all meanings in eventstore/codec/events.fbs.
// The schemas of releases (tests/upgrade/events.RELEASE.fbs) say since when there is an event or a field.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bullets, code, sourcesIn, table, wrapped } from './markdown.mjs';

export const schemaPath = 'eventstore/codec/events.fbs';
const numbers = {
  bool: 'bool',
  ubyte: 'uint8',
  ushort: 'uint16',
  EventType: 'uint16',
  int: 'int32',
  uint: 'uint32',
  long: 'int64',
  ulong: 'uint64',
};
const textOf = (comments) => comments.map((line) => line.trim().slice(3)).join(' ');

// Name of a table → {meaning, fields: [{name, type, isOptional, meaning}]}. A comment above a table or a field, or
// behind a field, is its meaning.
export function readSchema(path) {
  const tables = new Map();
  let comments = [];
  let fields;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [, name] = /^table (\w+) \{$/.exec(line) ?? [];
    const [, field, type, rest, behind] = /^ {2}(\w+): ([^ ;]+)( [^;]*)?;\s*(\/\/ .*)?$/.exec(line) ?? [];
    if (name) {
      fields = [];
      tables.set(name, { meaning: textOf(comments), fields });
    } else if (fields && field) {
      const isNumber = type in numbers;
      const isOptional = isNumber ? rest === ' = null' : rest !== ' (required)';
      fields.push({ name: field, type, isOptional, meaning: textOf([...comments, ...(behind ? [behind] : [])]) });
    } else if (/^\s*\/\/ /.test(line)) {
      comments.push(line);
      continue;
    }
    comments = [];
  }
  return tables;
}

// [[number, event, name in the feed]]
export function readKinds(root) {
  const text = readFileSync(join(root, 'domain/aggregates/event.h'), 'utf8');
  const rows = text.matchAll(/^ {2}ROW\((\d+), (\w+), "([a-z_.]*)"\)/gm);
  return [...rows].map(([, number, event, feed]) => [Number(number), event, feed]);
}

// Struct → [{stored, shown, kind, type, isOptional, isOnlyIfSet}], from its description of fields and its members;
// `shown` is empty for what JSON does not name.
export function readNames(root) {
  const names = new Map();
  const snake = (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  for (const path of sourcesIn(root, ['domain/aggregates'], /\.h$/)) {
    const text = readFileSync(join(root, path), 'utf8');
    for (const [, struct, body] of text.matchAll(/^struct (\w+) \{\n(.*?)^\};/gms)) {
      const fields = body.split(/\b(?=(?:personal_|secret_|envelope_|passing_)?field\(")/).slice(1);
      names.set(
        struct,
        fields.map((field) => {
          const [, kind, shown, member] =
            /^(personal_|secret_|envelope_|passing_)?field\(\s*"(\w+)",\s*&\w+::(\w+)/.exec(field);
          const [, optional, type] =
            new RegExp(`^  (?:std::optional<([\\w:]+)>|([\\w:<>]+)) ${member}\\b`, 'm').exec(body) ?? [];
          const stored = /\.stored_as\("(\w+)"\)/.exec(field)?.[1] ?? snake(shown);
          const isFlat = field.includes('.flattened()');
          return {
            stored,
            shown: kind === 'secret_' || isFlat ? '' : shown,
            kind: kind ?? '',
            type: optional ?? type,
            isOptional: optional !== undefined,
            isOnlyIfSet: field.includes('.shown_if_set()'),
          };
        }),
      );
    }
  }
  return names;
}

// How a personal field of an event is stored: [name, name in JSON], without an entry under its own name.
const personalPlaces = {
  details: [['customer', 'details']],
  customerIp: [['ip', 'customerIp']],
  value: [['blocklist_type', 'type'], ['blocklist_value', 'value']],
};

class Page {
  #schema;
  #releases;
  #names;
  #kinds;

  constructor(root) {
    this.#schema = readSchema(join(root, schemaPath));
    this.#kinds = readKinds(root);
    this.#names = readNames(root);
    const folder = join(root, 'tests/upgrade');
    const versionOf = (name) => /^events\.([0-9.]+)\.fbs$/.exec(name)?.[1];
    this.#releases = readdirSync(folder)
      .filter(versionOf)
      .sort((a, b) => versionOf(a).localeCompare(versionOf(b), 'en', { numeric: true }))
      .map((name) => [versionOf(name), readSchema(join(folder, name))]);
    const silent = this.#kinds.map(([, event]) => event).filter((event) => !this.#schema.get(event)?.meaning);
    if (silent.length > 0)
      throw new Error(`${schemaPath} has no comment that says what these tables mean: ${silent.join(', ')}`);
  }

  // The first release that has what `has` finds.
  #since(has) {
    const [version] = this.#releases.find(([, schema]) => has(schema)) ?? [];
    return version ?? `after ${this.#releases.at(-1)[0]}`;
  }
  #sinceTable(name) {
    return this.#since((schema) => schema.has(name));
  }
  #isReleased(name) {
    return this.#releases.some(([, schema]) => schema.has(name));
  }
  #sinceField(name, field) {
    return this.#since((schema) => schema.get(name)?.fields.some((each) => each.name === field));
  }

  #typeOf(type) {
    const inner = /^\[(\w+)\]$/.exec(type)?.[1];
    if (inner === 'ubyte') return 'bytes';
    if (inner) return `list of ${inner === 'string' ? 'texts' : this.#typeOf(inner)}`;
    if (type === 'string') return 'text';
    return numbers[type] ?? `[${type}](#${type.toLowerCase()})`;
  }

  #rowOf(field, shown, since, isPersonal) {
    const type = `${this.#typeOf(field.type)}${field.isOptional ? ', optional' : ''}${isPersonal ? ', personal' : ''}`;
    return [code(field.name), type, shown && code(shown), since, field.meaning];
  }

  #shownOf(name, stored) {
    const described = this.#names.get(name)?.find((each) => each.stored === stored && each.kind !== 'personal_');
    if (described) return described.shown;
    // A customer's address is an object of its own in JSON.
    const inAddress = name === 'CustomerDetails' && this.#names.get('Address').find((each) => each.stored === stored);
    return inAddress ? `address.${inAddress.shown}` : '';
  }

  #rowsOf(name) {
    const { fields } = this.#schema.get(name);
    const personal = (this.#names.get(name) ?? [])
      .filter(({ kind }) => kind === 'personal_')
      .flatMap(({ shown }) => personalPlaces[shown] ?? [[shown, shown]]);
    const stored = (own) => this.#schema.get('Personal').fields.find((each) => each.name === own);
    // Not before the event itself.
    const since = (own) => (this.#isReleased(name) ? this.#sinceField('Personal', own) : this.#sinceTable(name));
    return [
      ...fields.map((field) => {
        const shown = this.#shownOf(name, field.name);
        return this.#rowOf(field, shown, this.#sinceField(name, field.name), false);
      }),
      ...personal.map(([own, shown]) => this.#rowOf(stored(own), shown, since(own), true)),
    ];
  }

  #headOf([number, event, feed]) {
    const since = this.#sinceTable(event);
    const release = this.#isReleased(event) ? `Since release ${since}.` : `New ${since}.`;
    return `Type ${number}; ${feed ? `${code(feed)} in the feed` : 'not in the feed'}. ${release}`;
  }

  #section(name, head) {
    const rows = this.#rowsOf(name);
    const text = [this.#schema.get(name).meaning, head].filter(Boolean).join(' ');
    const lines = ['', `## ${name}`, '', ...wrapped(text), ''];
    if (rows.length === 0) return [...lines, 'It has no fields.'];
    return [...lines, ...table(['field', 'type', 'in JSON', 'since', 'meaning'], rows)];
  }

  // Envelope, personal bytes, and the tables of fields in the order of the schema.
  #parts() {
    const types = new Set([...this.#schema.values()].flatMap(({ fields }) => fields.map(({ type }) => type)));
    const isPart = (name) => types.has(name) || types.has(`[${name}]`);
    return ['Envelope', 'Personal', ...[...this.#schema.keys()].filter(isPart)];
  }

  lines() {
    const overview = this.#kinds.map(([number, event, feed]) => [
      number,
      `[${event}](#${event.toLowerCase()})`,
      feed && code(feed),
      this.#sinceTable(event),
      this.#schema.get(event).meaning,
    ]);
    return [
      ...table(['type', 'event', 'in the feed', 'since', 'meaning'], overview),
      ...this.#kinds.flatMap((kind) => this.#section(kind[1], this.#headOf(kind))),
      ...this.#parts().flatMap((part) => this.#section(part, '')),
    ];
  }
}

export function events({ root }) {
  return [
    '# Events',
    '',
    ...wrapped(
      'Every kind of event that a ledger records, with its fields. [Event format](event-format.md) describes how they are ' +
        'stored, hashed and proven.',
    ),
    '',
    ...bullets(
      'Fields are in the order of the schema, `eventstore/codec/events.fbs`, from field 0 on. An optional field may be ' +
        'absent; an absent number or `bool` that is not optional is 0 or false.',
      '*Personal* fields are stored apart from the others, so that an erasure can remove them. Then they are absent.',
      '*In JSON* is the name that `pixledger events`, exports and receipts show. Without one the field is never shown, ' +
        'or its members stand in its place. An event that begins a stream shows `projectId` as well, of its envelope.',
      '*In the feed* is the name in `GET /api/v1/events`, and of the webhook if there is one.',
      '*Since* is the first release that has the event or the field; *after* a release means the one that follows it.',
      'The tables of fields, such as [StoreSettings](#storesettings), come after the events.',
      'Times are milliseconds since 1970-01-01T00:00:00Z, int64. Amounts, `…_cents`, are hundredths of a real.',
    ),
    '',
    ...new Page(root).lines(),
  ];
}
