// The API's document, bundled from its parts as http/openapi/bundle.cmake does it: "$ref": [PART…] stands for the
// members of the parts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const methods = ['get', 'put', 'post', 'delete', 'patch'];

export class Document {
  #json;

  constructor(root) {
    const read = (part) => {
      const [file, name] = part.split('#');
      const whole = JSON.parse(readFileSync(join(root, 'http/openapi', file), 'utf8'));
      return bundled(name ? whole[name] : whole);
    };
    const isReference = (value) => Array.isArray(value?.$ref);
    const elements = (each) => (isReference(each) ? each.$ref.flatMap(read) : [bundled(each)]);
    const members = ([name, member]) =>
      name === '$ref' && Array.isArray(member)
        ? member.flatMap((part) => Object.entries(read(part)))
        : [[name, bundled(member)]];
    const bundled = (value) => {
      if (Array.isArray(value)) return value.flatMap(elements);
      if (value === null || typeof value !== 'object') return value;
      return Object.fromEntries(Object.entries(value).flatMap(members));
    };
    this.#json = read('openapi.json');
  }

  resolved(value) {
    if (typeof value.$ref !== 'string') return value;
    const names = value.$ref.slice(2).split('/').map((name) => name.replaceAll('~1', '/'));
    return this.resolved(names.reduce((found, name) => found[name], this.#json));
  }

  get json() {
    return this.#json;
  }

  get examples() {
    return this.#json.components.examples;
  }

  // [{name: 'GET /readyz', tag, headers, responses: [[status, response]]}]
  operations() {
    return Object.entries(this.#json.paths).flatMap(([path, item]) =>
      methods.filter((method) => item[method]).map((method) => {
        const { tags, parameters = [], responses } = item[method];
        const all = [...(item.parameters ?? []), ...parameters].map((each) => this.resolved(each));
        return {
          name: `${method.toUpperCase()} ${path}`,
          tag: tags[0],
          headers: all.filter(({ in: place }) => place === 'header').map(({ name }) => name),
          responses: Object.entries(responses).map(([status, response]) => [status, this.resolved(response)]),
        };
      }),
    );
  }
}
