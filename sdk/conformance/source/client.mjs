// Calls of the API: requests, repeats, errors.
const order = { payment: { amountCents: 1990, product: 'Camiseta azul’ção' }, originDomain: 'loja.example.com' };
const ok = { json: { success: true, data: { id: 'c1' } } };
const failure = (status, code = 'ERR_X_001', headers = {}) => ({
  status,
  headers,
  json: { success: false, code, message: 'no', details: [{ field: 'a', reason: 'b' }], requestId: 'req_1' },
});
const html = (status) => ({
  status,
  headers: { 'Content-Type': 'text/html' },
  text: '<!doctype html><title>busy</title>',
});

const vector = (name, input, expect, options = {}) => ({
  name: `client: ${name}`,
  kind: 'client',
  input,
  options,
  expect,
});
const call = (name, path, parameters, answers, expect, { options, ...more } = {}) =>
  vector(name, { call: path, arguments: parameters, answers, ...more }, expect, options);
const get = (name, answers, expect, more) => call(name, 'store.get', [], answers, expect, more);
const create = (name, answers, expect, more) => call(name, 'transactions.create', [order], answers, expect, more);
const remove = (name, answers, expect, more) => call(name, 'blocklist.remove', ['c1'], answers, expect, more);
const result = ok.json.data;
const apiError = (status, code) => ({ class: 'ApiError', status, code });
const once = { client: { retries: 0 } };
const twice = { client: { retries: 1 } };

const headers = {
  authorization: 'Bearer sk_test_conformance',
  accept: 'application/json',
  'content-type': 'application/json',
};
const requests = [
  create('a POST has the key, the body and an idempotency key', [ok], {
    result,
    requests: [{ method: 'POST', path: '/api/v1/transactions', query: {}, body: order, headers }],
    idempotencyKey: 'uuid',
  }),
  get('a GET has neither body nor idempotency key', [ok], {
    result,
    requests: [{ method: 'GET', path: '/api/v1/store', body: null, headers: { ...headers, 'content-type': null } }],
    idempotencyKey: null,
  }),
  create(
    'a given idempotency key is sent',
    [ok],
    { result, idempotencyKey: 'order-1042-1' },
    {
      options: { idempotencyKey: 'order-1042-1' },
    },
  ),
  get(
    'a given request id is sent',
    [ok],
    { result, requests: [{ headers: { 'x-request-id': 'req_mine' } }] },
    {
      options: { requestId: 'req_mine' },
    },
  ),
  call('PATCH', 'store.update', [{ name: 'Loja' }], [ok], {
    result,
    requests: [{ method: 'PATCH', path: '/api/v1/store', body: { name: 'Loja' } }],
    idempotencyKey: 'uuid',
  }),
  remove('DELETE', [ok], {
    result,
    requests: [{ method: 'DELETE', path: '/api/v1/blocklist/c1', body: null }],
    idempotencyKey: null,
  }),
  call('a POST without a body', 'sandbox.pay', ['c1'], [ok], {
    result,
    requests: [{ method: 'POST', path: '/api/sandbox/transactions/c1/pay', body: null }],
    idempotencyKey: 'uuid',
  }),
  call('an optional body is an empty object', 'transactions.refund', ['c1'], [ok], {
    result,
    requests: [{ path: '/api/v1/transactions/c1/refund', body: {} }],
  }),
  // It would refund all: a variable that is null by mistake must not.
  call('a refund whose amount is null is a mistake', 'transactions.refund', ['c1', { amountCents: null }], [ok], {
    wrongUse: true,
    attempts: 0,
  }),
  call('an empty body is an object', 'store.update', [{}], [ok], { result, requests: [{ body: {} }] }),
  call('metadata that is empty is an object', 'transactions.create', [{ ...order, metadata: {} }], [ok], {
    result,
    requests: [{ body: { ...order, metadata: {} } }],
  }),
  call(
    'lists in a query are joined, objects are named',
    'transactions.list',
    [{ status: ['paid', 'refunded'], metadata: { 'loja.canal': 'balcão & “1”' }, page: 2, dateFrom: '2026-03-01' }],
    [{ json: { success: true, data: [], meta: { page: 2, totalPages: 2 } } }],
    {
      result: { data: [], meta: { page: 2, totalPages: 2 } },
      requests: [
        {
          path: '/api/v1/transactions',
          query: { status: 'paid,refunded', 'metadata[loja.canal]': 'balcão & “1”', page: '2', dateFrom: '2026-03-01' },
        },
      ],
    },
  ),
  call(
    'true and false in a query',
    'customers.list',
    [{ isBlocked: true }],
    [{ json: { success: true, data: [], meta: {} } }],
    { requests: [{ query: { isBlocked: 'true' } }], result: { data: [], meta: {} } },
  ),
  call(
    'null in a query is left out',
    'transactions.list',
    [{ status: null, page: 1 }],
    [{ json: { success: true, data: [], meta: {} } }],
    { requests: [{ query: { page: '1' } }], result: { data: [], meta: {} } },
  ),
  call('an id cannot leave its place in the path', 'transactions.get', ['a/../b?c#d e'], [ok], {
    result,
    requests: [{ path: '/api/v1/transactions/a%2F..%2Fb%3Fc%23d%20e', query: {} }],
  }),
  call('a path of two words', 'channels.rotateSecret', ['c1', { graceSeconds: 60 }], [ok], {
    result,
    requests: [{ path: '/api/v1/notification-channels/c1/rotate-secret', body: { graceSeconds: 60 } }],
  }),
  call('a charge as of a time', 'transactions.getAsOf', ['c1', { asOf: '2026-03-01T00:00:00.000Z' }], [ok], {
    result,
    requests: [{ path: '/api/v1/transactions/c1', query: { asOf: '2026-03-01T00:00:00.000Z' } }],
  }),
  call('a page of payers', 'checkout.create', [order], [ok], {
    result,
    requests: [{ method: 'POST', path: '/api/v1/checkout/sessions', body: order }],
  }),
  call('the state of the service needs no key', 'service.ready', [], [ok], {
    result,
    requests: [{ path: '/readyz', headers: { authorization: null } }],
  }),
  call('the document is the whole answer', 'service.document', [], [{ json: { openapi: '3.1.0' } }], {
    result: { openapi: '3.1.0' },
    requests: [{ path: '/openapi.json', headers: { authorization: null } }],
  }),
  call('a text is given as it is', 'transactions.qrSvg', ['c1'], [{ text: '<svg>ção</svg>' }], {
    result: '<svg>ção</svg>',
    requests: [{ path: '/api/v1/transactions/c1/qr.svg' }],
  }),
  call('bytes are given as they are', 'transactions.qrPng', ['c1'], [{ base64: 'iVBORw0KGgoAAf8=' }], {
    resultBase64: 'iVBORw0KGgoAAf8=',
    requests: [{ path: '/api/v1/transactions/c1/qr.png' }],
  }),
  call('the calls without a version', 'unversioned.transactions.get', ['c1'], [ok], {
    result,
    requests: [{ path: '/api/transactions/c1' }],
  }),
  call(
    'a waiting request has more time',
    'events.list',
    [{ wait: 1 }],
    [{ delayMs: 900, json: { success: true, data: [], meta: { next: 'e1' } } }],
    { result: { data: [], meta: { next: 'e1' } }, attempts: 1 },
    { client: { timeoutMs: 500, retries: 0 } },
  ),
  get('an answer in chunks', [{ ...ok, chunked: true }], { result }),
  get(
    'an answer that repeats a name: the last one holds',
    [{ text: '{"success":true,"data":{"id":"c0","id":"c1"}}' }],
    { result },
  ),
];

const repeated = { result, attempts: 2 };
const repeats = [
  ...[429, 502, 503, 504].map((status) => get(`${status} is repeated`, [failure(status), ok], repeated)),
  create('a POST is repeated with the same key', [failure(503), ok], { ...repeated, idempotencyKey: 'uuid' }),
  create(
    'a POST is repeated with the key that was given',
    [{ close: true }, failure(429), ok],
    {
      result,
      attempts: 3,
      idempotencyKey: 'order-1',
    },
    { options: { idempotencyKey: 'order-1' } },
  ),
  create('a key still in flight is repeated', [failure(409, 'ERR_IDEMPOTENCY_002'), ok], {
    ...repeated,
    idempotencyKey: 'uuid',
  }),
  get('HTML of 502 is repeated', [html(502), ok], repeated),
  get('a reset connection is repeated', [{ reset: true }, ok], repeated),
  get('a connection without an answer is repeated', [{ close: true }, ok], repeated),
  get('a cut body is repeated', [{ ...ok, cutAfter: 9 }, ok], repeated),
  get('a cut body in chunks is repeated', [{ ...ok, chunked: true, cutAfter: 9 }, ok], repeated),
  get('no answer in time is repeated', [{ hang: true }, ok], repeated, { client: { timeoutMs: 1000 } }),
  create('a cut answer to a POST is repeated with the same key', [{ ...ok, cutAfter: 9 }, ok], {
    ...repeated,
    idempotencyKey: 'uuid',
  }),
  get('four repeats and no more', [failure(503)], { error: apiError(503, 'ERR_X_001'), attempts: 5 }),
  get(
    'as many repeats as the client says',
    [failure(503)],
    { error: apiError(503, 'ERR_X_001'), attempts: 3 },
    { client: { retries: 2 } },
  ),
  get(
    'as many repeats as the call says',
    [failure(503)],
    { error: apiError(503, 'ERR_X_001'), attempts: 1 },
    { options: { retries: 0 } },
  ),
  get(
    'the last error is reported',
    [failure(503), { reset: true }],
    { error: { class: 'ConnectionError' }, attempts: 2 },
    twice,
  ),
  ...[
    [400, 'ERR_VALIDATION_001'],
    [401, 'ERR_AUTH_001'],
    [404, 'ERR_TRANSACTION_001'],
    [409, 'ERR_TRANSACTION_002'],
    [422, 'ERR_IDEMPOTENCY_003'],
    [500, 'ERR_HTTP_500'],
    [501, 'ERR_X_001'],
  ].map(([status, code]) =>
    create(`${status} ${code} is not repeated`, [failure(status, code)], {
      error: apiError(status, code),
      attempts: 1,
    }),
  ),
];

const retryAfter = (value) => failure(429, 'ERR_RATE_001', { 'Retry-After': value });
const pauses = [
  get('Retry-After in seconds is waited for', [retryAfter('1'), ok], { result, atLeastMs: 1000 }),
  // A date has whole seconds: of three, more than two are left.
  get('Retry-After as a date is waited for', [{ ...failure(503), retryAfterDateSeconds: 3 }, ok], {
    result,
    atLeastMs: 1500,
  }),
  get('Retry-After in the past', [failure(503, 'ERR_X_001', { 'Retry-After': 'Thu, 01 Jan 2026 00:00:00 GMT' }), ok], {
    result,
    atMostMs: 5000,
  }),
  get('Retry-After that is neither', [retryAfter('soon'), ok], { result, atMostMs: 5000 }),
  get('Retry-After above 60 s is an error at once', [retryAfter('61')], {
    error: { ...apiError(429, 'ERR_RATE_001'), retryAfterMs: 61000 },
    attempts: 1,
    atMostMs: 5000,
  }),
  get('Retry-After of a year is an error at once', [failure(503, 'ERR_X_001', { 'Retry-After': '31536000' })], {
    error: { class: 'ApiError', status: 503, retryAfterMs: 31536000000 },
    attempts: 1,
  }),
];

const gone = failure(404, 'ERR_BLOCKLIST_001');
const removals = [
  ...[
    ['a reset', { reset: true }],
    ['a cut answer', { ...ok, cutAfter: 9 }],
    ['502', failure(502)],
    ['503', failure(503)],
    ['504', failure(504)],
  ].map(([what, answer]) =>
    remove(`a DELETE that finds nothing after ${what}`, [answer, gone], { result: null, attempts: 2 }),
  ),
  remove('a DELETE that finds nothing at once', [gone], { error: apiError(404, 'ERR_BLOCKLIST_001'), attempts: 1 }),
  remove('a DELETE that finds nothing after 429', [failure(429), gone], {
    error: apiError(404, 'ERR_BLOCKLIST_001'),
    attempts: 2,
  }),
  get('a GET that finds nothing after a reset', [{ reset: true }, gone], {
    error: apiError(404, 'ERR_BLOCKLIST_001'),
    attempts: 2,
  }),
];

const errors = [
  create('an error has all fields', [failure(400, 'ERR_VALIDATION_001')], {
    error: {
      class: 'ApiError',
      status: 400,
      code: 'ERR_VALIDATION_001',
      message: 'no (a: b)',
      details: [{ field: 'a', reason: 'b' }],
      requestId: 'req_1',
      retryAfterMs: null,
    },
  }),
  ...[
    ['a list of other types', ['x', null, 7, [], {}, { field: 'a' }, { field: 'a', reason: 7 }], [], 'no'],
    [
      'two',
      [
        { field: 'payment.amountCents', reason: 'must be positive' },
        { field: 'após', reason: 'não é válido', resumeAfter: '7' },
      ],
      undefined,
      'no (payment.amountCents: must be positive; após: não é válido)',
    ],
    ['a long list', [{ field: 'a', reason: '😀'.repeat(1000) }], undefined, `no (a: ${'😀'.repeat(993)}…`],
  ].map(([what, details, kept = details, message]) =>
    get(`details that are ${what}`, [{ status: 400, json: { ...failure(400, 'ERR_X_001').json, details } }], {
      error: { class: 'ApiError', status: 400, code: 'ERR_X_001', message, details: kept },
    }),
  ),
  get('a long message', [{ status: 400, json: { code: 'ERR_X_001', message: 'é'.repeat(1001) } }], {
    error: { class: 'ApiError', status: 400, code: 'ERR_X_001', message: `${'é'.repeat(1000)}…`, details: [] },
  }),
  get(
    'an error whose body names no request has the header’s',
    [{ status: 500, headers: { 'X-Request-Id': 'req_h' }, text: '' }],
    {
      error: {
        class: 'ApiError',
        status: 500,
        code: 'ERR_HTTP_500',
        requestId: 'req_h',
        details: [],
        retryAfterMs: null,
      },
    },
  ),
  get('HTML of 404', [html(404)], { error: { ...apiError(404, 'ERR_HTTP_404'), requestId: null }, attempts: 1 }),
  get('HTML of 502, in the end', [html(502)], { error: apiError(502, 'ERR_HTTP_502'), attempts: 2 }, twice),
  ...[
    ['a list', '[]'],
    ['a text', '"x"'],
    ['null', 'null'],
    ['a number', '7'],
    ['fields of other types', '{"code":7,"message":[],"details":"x","requestId":{}}'],
  ].map(([what, text]) =>
    get(`an error that is ${what}`, [{ status: 400, text }], {
      error: { class: 'ApiError', status: 400, code: 'ERR_HTTP_400', details: [], requestId: null },
    }),
  ),
  ...[301, 302, 303, 307, 308].map((status) =>
    get(`a redirect of ${status} is not followed`, [{ status, headers: { Location: '/elsewhere' }, text: '' }], {
      error: apiError(status, `ERR_HTTP_${status}`),
      attempts: 1,
    }),
  ),
  create('a redirected POST is not followed', [{ status: 307, headers: { Location: '/elsewhere' }, text: '' }], {
    error: apiError(307, 'ERR_HTTP_307'),
    attempts: 1,
  }),
  ...[
    ['HTML', html(200)],
    ['nothing', { text: '' }],
    ['a list', { text: '[]' }],
    ['null', { text: 'null' }],
    ['a text', { text: '"x"' }],
    ['half an object', { text: '{"success":true,' }],
    ['an object without data', { json: { success: true } }],
  ].map(([what, answer]) =>
    get(`200 with ${what} is not the API’s answer`, [answer], { error: { class: 'ConnectionError' }, attempts: 1 }),
  ),
  call('200 with HTML for a page', 'transactions.list', [{}], [html(200)], {
    error: { class: 'ConnectionError' },
    attempts: 1,
  }),
  get('a reset, in the end', [{ reset: true }], { error: { class: 'ConnectionError' }, attempts: 1 }, once),
  get('a cut body, in the end', [{ ...ok, cutAfter: 9 }], { error: { class: 'ConnectionError' }, attempts: 1 }, once),
  get(
    'no answer in time',
    [{ hang: true }],
    { error: { class: 'TimeoutError' }, attempts: 1, atMostMs: 5000 },
    {
      client: { retries: 0, timeoutMs: 300 },
    },
  ),
  get(
    'a late answer',
    [{ ...ok, delayMs: 5000 }],
    { error: { class: 'TimeoutError' }, atMostMs: 4000 },
    {
      client: { retries: 0 },
      options: { timeoutMs: 300 },
    },
  ),
  // Each byte is in time, and the answer is not.
  get(
    'an answer that trickles',
    [{ ...ok, trickleMs: 200 }],
    { error: { class: 'TimeoutError' }, atMostMs: 4000 },
    {
      client: { retries: 0, timeoutMs: 1000 },
    },
  ),
  get('an answer that is no HTTP', [{ raw: 'SSH-2.0-OpenSSH_9.2\r\n' }], { error: { class: 'ConnectionError' } }, once),
  get('nothing listens', [ok], { error: { class: 'ConnectionError' }, attempts: 0 }, { server: 'closed', ...once }),
  get('a certificate that is trusted', [ok], { result, attempts: 1 }, { server: 'https' }),
  get(
    'a certificate that is not trusted',
    [ok],
    { error: { class: 'ConnectionError' }, attempts: 0, connections: 1 },
    { server: 'httpsUntrusted' },
  ),
  get(
    'a certificate of another host',
    [ok],
    { error: { class: 'ConnectionError' }, attempts: 0, connections: 1 },
    { server: 'httpsOtherName' },
  ),
];

const made = (name, client) => vector(name, { client }, {});
const wrong = (name, client) => vector(name, { client }, { wrongUse: true });
const misused = (name, path, parameters, options) =>
  call(name, path, parameters, [ok], { wrongUse: true, attempts: 0 }, { options });
const uses = [
  made('https is fine', { baseUrl: 'https://api.example.com/' }),
  made('http to localhost is fine', { baseUrl: 'http://localhost:8080' }),
  made('http to 127.0.0.1 is fine', { baseUrl: 'http://127.0.0.1:1' }),
  made('http to [::1] is fine', { baseUrl: 'http://[::1]:1' }),
  made('http where it is allowed', { baseUrl: 'http://api.example.com', allowHttp: true }),
  wrong('http elsewhere', { baseUrl: 'http://api.example.com' }),
  wrong('http to a host whose name begins like this one', { baseUrl: 'http://127.0.0.1.example.com' }),
  wrong('http to localhost in another domain', { baseUrl: 'http://localhost.example.com' }),
  wrong('another protocol', { baseUrl: 'ftp://api.example.com', allowHttp: true }),
  wrong('credentials in the address', { baseUrl: 'https://user:pass@api.example.com' }),
  wrong('a query in the address', { baseUrl: 'https://api.example.com/?a=1' }),
  wrong('a fragment in the address', { baseUrl: 'https://api.example.com/#a' }),
  wrong('no address', { baseUrl: '' }),
  wrong('an address without a host', { baseUrl: 'https://' }),
  wrong('no key', { apiKey: '' }),
  wrong('the secret of a channel as the key', { apiKey: 'whsec_abc' }),
  wrong('a key with a space', { apiKey: 'sk_test a' }),
  wrong('a key with a line end', { apiKey: 'sk_test\r\nX: y' }),
  wrong('a negative number of repeats', { retries: -1 }),
  wrong('no time', { timeoutMs: 0 }),
  misused('an empty id', 'transactions.get', ['']),
  misused('an id of a dot', 'transactions.get', ['.']),
  misused('an id of two dots', 'transactions.get', ['..']),
  misused('an id that is a number', 'transactions.get', [7]),
  misused('an empty idempotency key', 'transactions.create', [order], { idempotencyKey: '' }),
  misused('an idempotency key with a line end', 'transactions.create', [order], { idempotencyKey: 'a\r\nb' }),
  misused('an idempotency key beyond ASCII', 'transactions.create', [order], { idempotencyKey: 'ção' }),
  misused('an idempotency key of 256 characters', 'transactions.create', [order], { idempotencyKey: 'x'.repeat(256) }),
  misused('a request id with a line end', 'store.get', [], { requestId: 'a\r\nb: c' }),
];

export default [...requests, ...repeats, ...pauses, ...removals, ...errors, ...uses];
