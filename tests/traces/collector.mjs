// A collector of OpenTelemetry for the tests: takes posts of OTLP/HTTP and checks them against the schema of
// opentelemetry-proto (trace.proto of 1.x in its JSON form: ids in hexadecimal, enums as numbers, 64-bit integers as
// texts).
import assert from 'node:assert/strict';
import http from 'node:http';

const isText = (value) => typeof value === 'string';
const isNumber = (value) => Number.isSafeInteger(value) && value >= 0;
const isNanoseconds = (value) => isText(value) && /^[1-9]\d{18}$/.test(value);
const isId = (digits) => (value) => isText(value) && new RegExp(`^[0-9a-f]{${digits}}$`).test(value) && !/^0+$/.test(value);
const listOf = (check) => (value, where) => {
  assert.ok(Array.isArray(value), `${where} is a list`);
  value.forEach((each, i) => check(each, `${where}[${i}]`));
};

// Each member has a check, which throws or returns whether the value is valid; those that `optional` names may be
// missing, and others may not be there.
const message = (members, optional = []) => (value, where) => {
  assert.ok(value !== null && typeof value === 'object' && !Array.isArray(value), `${where} is an object`);
  for (const name of Object.keys(value)) assert.ok(name in members, `${where}.${name} is known`);
  for (const [name, check] of Object.entries(members)) {
    if (!(name in value) && optional.includes(name)) continue;
    assert.ok(check(value[name], `${where}.${name}`) !== false, `${where}.${name} is valid: ${JSON.stringify(value[name])}`);
  }
};

const anyValue = (value, where) => {
  message(
    { stringValue: isText, boolValue: (it) => typeof it === 'boolean', intValue: (it) => isText(it) && /^-?\d+$/.test(it), doubleValue: Number.isFinite },
    ['stringValue', 'boolValue', 'intValue', 'doubleValue'],
  )(value, where);
  assert.equal(Object.keys(value).length, 1, `${where} has one value`);
};
const attributes = (value, where) => {
  listOf(message({ key: (key) => isText(key) && key !== '', value: anyValue }))(value, where);
  assert.equal(new Set(value.map(({ key }) => key)).size, value.length, `${where} has each key once`);
};
const span = (value, where) => {
  message(
    {
      traceId: isId(32),
      spanId: isId(16),
      traceState: isText,
      parentSpanId: isId(16),
      flags: isNumber,
      name: (name) => isText(name) && name !== '',
      kind: (kind) => isNumber(kind) && kind >= 1 && kind <= 5,
      startTimeUnixNano: isNanoseconds,
      endTimeUnixNano: isNanoseconds,
      attributes,
      droppedAttributesCount: isNumber,
      status: message({ message: isText, code: (code) => [0, 1, 2].includes(code) }, ['message', 'code']),
    },
    ['traceState', 'parentSpanId', 'flags', 'attributes', 'droppedAttributesCount', 'status'],
  )(value, where);
  assert.ok(BigInt(value.endTimeUnixNano) >= BigInt(value.startTimeUnixNano), `${where} ends after it begins`);
};
const scopeSpans = message(
  { scope: message({ name: isText, version: isText, attributes }, ['name', 'version', 'attributes']), spans: listOf(span), schemaUrl: isText },
  ['scope', 'schemaUrl'],
);
const resourceSpans = message({ resource: message({ attributes }, ['attributes']), scopeSpans: listOf(scopeSpans), schemaUrl: isText }, ['schemaUrl']);

// Throws if it is no ExportTraceServiceRequest.
export const checkExport = (body) => message({ resourceSpans: listOf(resourceSpans) })(body, 'body');

export class Collector {
  spans = []; // {service, …span, attributes: {key: value}}
  faults = [];
  posts = [];
  #waiting = [];
  #server = http.createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    try {
      assert.equal(request.method, 'POST');
      assert.equal(request.url, '/v1/traces');
      assert.equal(request.headers['content-type'], 'application/json');
      const body = JSON.parse(Buffer.concat(parts).toString());
      checkExport(body);
      this.#take(body, request.headers);
    } catch (error) {
      this.faults.push(error);
    }
    response.setHeader('Content-Type', 'application/json').end('{}');
    for (const look of this.#waiting) look();
  });

  async start() {
    await new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    this.url = `http://127.0.0.1:${this.#server.address().port}`;
    return this;
  }

  #take(body, headers) {
    this.posts.push({ headers, spans: body.resourceSpans.flatMap((resource) => resource.scopeSpans.flatMap((scope) => scope.spans)).length });
    for (const { resource, scopeSpans: scopes } of body.resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name').value.stringValue;
      for (const { spans } of scopes)
        for (const each of spans)
          this.spans.push({ ...each, service, attributes: Object.fromEntries(each.attributes.map(({ key, value }) => [key, Object.values(value)[0]])) });
    }
  }

  // Resolves to the first span for which `is` returns true, or rejects at the first post that is invalid.
  arrived(is) {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.spans.find(is);
        if (this.faults.length > 0) reject(this.faults[0]);
        else if (found) resolve(found);
      };
      this.#waiting.push(look);
      look();
    });
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
