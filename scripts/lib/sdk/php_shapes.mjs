// Array shapes of phpstan from the schemas of the OpenAPI document. A schema with a name becomes a type with that name,
// which classes import; bodies and queries become shapes that also take dates.

const columns = 118;
const quoted = (value) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));
const scalars = { string: 'string', integer: 'int', number: 'float', boolean: 'bool', null: 'null' };
// A long one is in parentheses: only there may phpstan's comments break it.
const union = (members) => (members.join('|').length > 60 ? `(${members.join('|')})` : members.join('|'));
const isName = /^[A-Za-z_][A-Za-z0-9_]*$/;

export class Shapes {
  #document;
  #types = new Map(); // name of a schema → its shape
  #used = new Set(); // by the class that is written

  constructor(document) {
    this.#document = document;
  }

  resolved(value) {
    if (typeof value?.$ref !== 'string') return value;
    const names = value.$ref.slice(2).split('/').map((name) => name.replaceAll('~1', '/'));
    return this.resolved(names.reduce((found, name) => found[name], this.#document));
  }

  begin() {
    this.#used = new Set();
  }
  used() {
    return [...this.#used].sort();
  }

  // {name: {schema, isRequired}} of an object, with those of all that it is made of.
  propertiesOf(given) {
    const schema = this.resolved(given);
    const all = Object.assign({}, ...(schema.allOf ?? []).map((part) => this.propertiesOf(part)));
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      all[name] = { schema: property, isRequired: false };
    for (const name of this.#requiredOf(schema)) if (all[name]) all[name].isRequired = true;
    return all;
  }
  #requiredOf(given) {
    const schema = this.resolved(given);
    return [...(schema.required ?? []), ...(schema.allOf ?? []).flatMap((part) => this.#requiredOf(part))];
  }

  output(schema) {
    return this.#shape(schema, '');
  }
  input(schema) {
    return this.#shape(schema, 'Input');
  }

  query(parameters) {
    const members = parameters.map(({ name, required, schema }) => [name, { schema, isRequired: required === true }]);
    return this.#object(Object.fromEntries(members), 'Query');
  }

  #shape(given, side) {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(given.$ref ?? '')?.[1];
    const schema = this.resolved(given);
    // A scalar needs no name.
    const isLarge = schema.properties || schema.allOf || schema.oneOf || schema.enum?.length > 3;
    if (!name || !isLarge) return this.#inline(schema, side);
    if (!this.#types.has(name)) {
      this.#types.set(name, undefined);
      const used = this.#used;
      this.#used = new Set();
      this.#types.set(name, this.#inline(schema, side));
      this.#used = used;
    }
    this.#used.add(name);
    return name;
  }

  #inline(schema, side) {
    if (schema.const !== undefined) return quoted(schema.const);
    if (schema.enum) return union(schema.enum.map(quoted));
    const either = schema.oneOf ?? (schema.type === undefined && schema.anyOf);
    if (either) return union([...new Set(either.map((each) => this.#shape(each, side)))]);
    const types = [schema.type ?? []].flat();
    if (schema.properties || schema.allOf) return this.#object(this.propertiesOf(schema), side, types.includes('null'));
    if (types.length === 0) return 'mixed';
    return types.map((type) => this.#single(type, schema, side)).join('|');
  }

  #single(type, schema, side) {
    if (type === 'array') return schema.items ? `list<${this.#shape(schema.items, side)}>` : 'list<mixed>';
    if (type === 'object') {
      const values = schema.additionalProperties;
      return `array<string, ${values && values !== true ? this.#shape(values, side) : 'mixed'}>`;
    }
    const isDate = [schema, ...(schema.anyOf ?? [])].some(({ format }) => format === 'date-time');
    if (type === 'string' && side !== '' && isDate) return 'string|\\DateTimeInterface';
    if (type === 'string' && side === 'Query' && schema.pattern?.includes('(,')) return 'string|list<string>';
    return scalars[type];
  }

  #object(properties, side, isNullable = false) {
    const members = Object.entries(properties).map(([name, { schema, isRequired }]) => {
      const key = isName.test(name) ? name : quoted(name);
      return `${key}${isRequired ? '' : '?'}: ${this.#shape(schema, side)}`;
    });
    return `array{${members.join(', ')}}${isNullable ? '|null' : ''}`;
  }

  // A line of a comment, broken where phpstan allows it: after commas, and in unions within parentheses.
  wrapped(line, indent) {
    const lines = [];
    const open = []; // brackets
    let start = 0;
    let last = 0; // where it may be broken
    for (let at = 0; at < line.length; at += 1) {
      if ('({<'.includes(line[at])) open.push(line[at]);
      else if (')}>'.includes(line[at])) open.pop();
      const more = lines.length === 0 ? '' : '    ';
      if (indent.length + more.length + at - start >= columns && last > start) {
        lines.push((indent + more + line.slice(start, last)).trimEnd());
        start = last;
      }
      if (line[at] === '|' && open.at(-1) === '(') last = at + 1;
      else if (line.startsWith(', ', at)) last = at + 2;
    }
    return [...lines, (indent + (lines.length === 0 ? '' : '    ') + line.slice(start)).trimEnd()];
  }

  files() {
    const types = [...this.#types].sort(([a], [b]) => (a < b ? -1 : 1));
    const lines = types.flatMap(([name, shape]) => this.wrapped(`@phpstan-type ${name} ${shape}`, ' * '));
    const comment = `/**\n * The API's data, as phpstan knows it.\n *\n${lines.join('\n')}\n */`;
    return { 'Types.php': `${comment}\nfinal class Types\n{\n}\n` };
  }
}
