// The API's document, bundled from its parts as http/openapi/bundle.cmake does it: {"$ref": [FILE…]} stands for the
// members of the files' objects.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const methods = ['get', 'put', 'post', 'delete', 'patch'];

export class Document {
  #json;

  constructor(root) {
    const read = (name) => JSON.parse(readFileSync(join(root, 'http/openapi', name), 'utf8'));
    const bundled = (value) => {
      if (Array.isArray(value)) return value.map(bundled);
      if (value === null || typeof value !== 'object') return value;
      if (Array.isArray(value.$ref)) return Object.assign({}, ...value.$ref.map((name) => bundled(read(name))));
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, bundled(member)]));
    };
    this.#json = bundled(read('openapi.json'));
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
