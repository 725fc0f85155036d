// The OpenAPI document as a judge of real requests and answers.
import assert from 'node:assert/strict';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

// What HTTP itself brings along (RFC 9110, 9112); every other header of an answer has to be described.
// Not of one value a line.
export const isJson = (mediaType) => /[/+]json$/.test(mediaType);

const headersOfHttp = [
  'transfer-encoding',
  'content-type',
  'content-length',
  'content-encoding',
  'date',
  'connection',
  'keep-alive',
  'cache-control',
  'vary',
];
// What every answer has.
const headersOfAll = { 'x-content-type-options': 'nosniff' };

const escaped = (key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

// A value of a header or query as its schema's type takes it.
const typed = (schema, text) => {
  if (schema.type === 'boolean') return { true: true, false: false }[text] ?? text;
  return schema.type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text;
};

// JSON, or of those that take a file its.
const bodyTypeOf = ({ body }) => Object.keys(body.value.content)[0];

export class Document {
  #document;
  #ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
  #seen = new Set();
  // operationId → {id, title, tags, method, path, isPublic, asksUser, scope, parameters, body, responses}
  operations = new Map();

  constructor(document) {
    this.#document = document;
    addFormats(this.#ajv);
    // The document is no schema, but to resolve references into it Ajv takes it for one.
    this.#ajv.addVocabulary(Object.keys(document));
    // Texts, as those they stand beside.
    this.#ajv.addVocabulary(['x-pt-summary', 'x-pt-description']);
    this.#ajv.addSchema(document, 'openapi');
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, spec] of Object.entries(item)) {
        const at = `#/paths/${escaped(path)}/${method}`;
        this.operations.set(spec.operationId, {
          id: spec.operationId,
          title: spec.summary,
          tags: spec.tags,
          method: method.toUpperCase(),
          path,
          isPublic: spec.security.length === 0,
          asksUser: spec.security.some(({ userToken }) => userToken),
          scope: spec.security[0]?.apiKey?.[0],
          parameters: spec.parameters.map((_, i) => {
            const parameter = this.#resolved(`${at}/parameters/${i}`);
            return { ...parameter.value, at: parameter.at };
          }),
          body: spec.requestBody && { at: `${at}/requestBody`, value: spec.requestBody },
          responses: new Map(
            Object.keys(spec.responses).map((status) => [
              status,
              this.#resolved(`${at}/responses/${status}`),
            ]),
          ),
        });
      }
    }
  }

  // What is at a pointer, behind its references, with the pointer to it.
  #resolved(at) {
    const keys = at
      .slice(2)
      .split('/')
      .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
    const value = keys.reduce((found, key) => found[key], this.#document);
    return value.$ref ? this.#resolved(value.$ref) : { at, value };
  }

  #assertValid(at, value, what) {
    const validate = this.#ajv.getSchema(`openapi${at}`);
    assert.ok(validate(value), `${what}: ${this.#ajv.errorsText(validate.errors)}\n${JSON.stringify(value)}`);
  }

  #responseOf(operation, status) {
    const { responses } = operation;
    const response = responses.get(String(status)) ?? (status >= 400 && responses.get('default'));
    assert.ok(response, `the document has no ${status} of ${operation.id}`);
    return response;
  }

  // Throws unless the document describes this answer of the operation, with all its headers. HEAD has no body.
  checkReply(operation, reply, { isHead = false } = {}) {
    const what = `${operation.id} ${reply.status}`;
    const response = this.#responseOf(operation, reply.status);
    this.#checkHeaders(response, reply.headers, what);
    if (isHead || !response.value.content) {
      assert.equal(reply.body, '', `${what} has a body`);
      this.#seen.add(what);
      return;
    }
    const mediaType = reply.headers['content-type'].split(';')[0];
    const body = isJson(mediaType) ? JSON.parse(reply.body) : reply.body;
    this.checkBody(operation, reply.status, mediaType, body);
    this.#seen.add(reply.status < 400 ? what : `${what} ${body.code}`);
  }

  // Throws unless the document allows this value as the body of the operation's answer.
  checkBody(operation, status, mediaType, body) {
    const what = `${operation.id} ${status}`;
    const response = this.#responseOf(operation, status);
    assert.ok(response.value.content[mediaType], `the document has no ${mediaType} of ${what}`);
    this.#assertValid(`${response.at}/content/${escaped(mediaType)}/schema`, body, what);
  }

  // Each example of an answer with its {operation, status, mediaType, body}.
  answers() {
    return [...this.operations.values()].flatMap((operation) =>
      [...operation.responses].flatMap(([status, response]) =>
        Object.entries(response.value.content ?? {}).flatMap(([mediaType, { example, examples = {} }]) => {
          const references = Object.values(examples).map(({ $ref }) => this.#resolved($ref).value.value);
          const bodies = example === undefined ? references : [example, ...references];
          return bodies.map((body) => ({
            operation,
            status: status === 'default' ? (body.status ?? 405) : Number(status),
            mediaType,
            body,
          }));
        }),
      ),
    );
  }

  #checkHeaders(response, headers, what) {
    const described = Object.entries(response.value.headers);
    const names = described.map(([name]) => name.toLowerCase());
    const unknown = Object.keys(headers).filter(
      (name) => !names.includes(name) && !headersOfHttp.includes(name) && !(name in headersOfAll),
    );
    for (const [name, value] of Object.entries(headersOfAll)) assert.equal(headers[name], value, what);
    assert.deepEqual(unknown, [], `${what} has headers that the document does not know`);
    for (const [name] of described) {
      const header = this.#resolved(`${response.at}/headers/${name}`);
      const value = headers[name.toLowerCase()];
      assert.ok(value !== undefined || !header.value.required, `${what} has no ${name}`);
      if (value === undefined) continue;
      this.#assertValid(`${header.at}/schema`, typed(header.value.schema, value), `${what} ${name}`);
    }
  }

  // Throws unless the document allows this request.
  checkRequest(operation, { query = {}, body }) {
    for (const [name, value] of Object.entries(query)) {
      const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name);
      assert.ok(parameter, `${operation.id} has no parameter ${name} in the document`);
      const validate = this.#ajv.getSchema(`openapi${parameter.at}/schema`);
      assert.ok(
        validate(typeof value === 'object' ? value : typed(parameter.schema, String(value))),
        `${operation.id}: the document forbids ${name}=${value}`,
      );
    }
    if (body === undefined) return;
    assert.ok(operation.body, `${operation.id} has no body in the document`);
    this.#assertValid(
      `${operation.body.at}/content/${escaped(bodyTypeOf(operation))}/schema`,
      body,
      `body of ${operation.id}`,
    );
  }

  // The bodies that the document gives as examples of an operation's request.
  bodies(operation) {
    if (!operation.body) return [];
    return Object.values(operation.body.value.content[bodyTypeOf(operation)].examples).map(({ value }) => value);
  }

  has(operation, parameterName) {
    return operation.parameters.some(({ name }) => name === parameterName);
  }

  // Each success, and each error with each of its codes, that the document promises:
  // "getStore 401 ERR_AUTH_009".
  promises() {
    return [...this.operations.values()].flatMap(({ id, responses }) =>
      [...responses].flatMap(([status, { value }]) => {
        if (status === 'default') return [];
        if (Number(status) < 400) return [`${id} ${status}`];
        return Object.keys(value.content['application/json'].examples).map(
          (code) => `${id} ${status} ${code}`,
        );
      }),
    );
  }

  // The promises that no answer has been checked against yet.
  unseen() {
    return this.promises().filter((promise) => !this.#seen.has(promise));
  }
}
