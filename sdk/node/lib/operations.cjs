'use strict';

// Every operation of the API: its method, its path, and how a call is made from it.
//   get     (id)          → data          page    (query)      → {data, meta}
//   body    (body)        → data          bare    ()           → data
//   idBody  (id, body)    → data          idPage  (id, query)  → {data, meta}
//   idBare  (id)          → data          idQuery (id, query)  → data
//   feed    (query)       → {data, meta}          idFeed  (id, query)  → {data, meta}
//   idText  (id, query)   → the whole answer       idBytes (id, query)  → the whole answer, as bytes
//   query   (query)       → data
//   state   ()            → data, without a key           plain, text ()  → the whole answer
// Operations with pages also have a method whose name ends in All, which iterates over all items; for a feed it is
// `follow`, which waits for more.
const transactionReads = (base) => ({
  list: ['page', 'GET', `${base}/transactions`],
  get: ['idBare', 'GET', `${base}/transactions/{id}`],
});
const customers = (base) => ({
  save: ['body', 'POST', `${base}/customers`],
  list: ['page', 'GET', `${base}/customers`],
  get: ['idBare', 'GET', `${base}/customers/{id}`],
});
const channels = '/api/v1/notification-channels';

module.exports = {
  transactions: {
    create: ['body', 'POST', '/api/v1/transactions'],
    ...transactionReads('/api/v1'),
    getAsOf: ['idQuery', 'GET', '/api/v1/transactions/{id}'],
    qrSvg: ['idText', 'GET', '/api/v1/transactions/{id}/qr.svg'],
    qrPng: ['idBytes', 'GET', '/api/v1/transactions/{id}/qr.png'],
    receipt: ['idBare', 'GET', '/api/v1/transactions/{id}/receipt'],
    cancel: ['idBare', 'POST', '/api/v1/transactions/{id}/cancel'],
    refund: ['idBody', 'POST', '/api/v1/transactions/{id}/refund'],
    events: ['idFeed', 'GET', '/api/v1/transactions/{id}/events'],
  },
  customers: {
    ...customers('/api/v1'),
    block: ['idBody', 'POST', '/api/v1/customers/{id}/block'],
    unblock: ['idBare', 'POST', '/api/v1/customers/{id}/unblock'],
  },
  blocklist: {
    list: ['page', 'GET', '/api/v1/blocklist'],
    add: ['body', 'POST', '/api/v1/blocklist'],
    remove: ['idBare', 'DELETE', '/api/v1/blocklist/{id}'],
  },
  store: {
    get: ['bare', 'GET', '/api/v1/store'],
    update: ['body', 'PATCH', '/api/v1/store'],
  },
  channels: {
    create: ['body', 'POST', channels],
    list: ['page', 'GET', channels],
    get: ['idBare', 'GET', `${channels}/{id}`],
    update: ['idBody', 'PATCH', `${channels}/{id}`],
    delete: ['idBare', 'DELETE', `${channels}/{id}`],
    rotateSecret: ['idBody', 'POST', `${channels}/{id}/rotate-secret`],
    test: ['idBare', 'POST', `${channels}/{id}/test`],
    deliveries: ['idPage', 'GET', `${channels}/{id}/deliveries`],
    recover: ['idBody', 'POST', `${channels}/{id}/recover`],
    stats: ['idBare', 'GET', `${channels}/{id}/stats`],
    preview: ['idQuery', 'GET', `${channels}/{id}/preview`],
    events: ['bare', 'GET', `${channels}/events`],
  },
  checkout: {
    create: ['body', 'POST', '/api/v1/checkout/sessions'],
    list: ['page', 'GET', '/api/v1/checkout/sessions'],
    get: ['idBare', 'GET', '/api/v1/checkout/sessions/{id}'],
    cancel: ['idBare', 'POST', '/api/v1/checkout/sessions/{id}/cancel'],
    deliveries: ['idPage', 'GET', '/api/v1/checkout/sessions/{id}/deliveries'],
  },
  deliveries: {
    get: ['idBare', 'GET', '/api/v1/deliveries/{id}'],
    redeliver: ['idBare', 'POST', '/api/v1/deliveries/{id}/redeliver'],
  },
  events: {
    list: ['feed', 'GET', '/api/v1/events'],
  },
  overview: {
    search: ['query', 'GET', '/api/v1/search'],
    stats: ['query', 'GET', '/api/v1/stats'],
    connections: ['bare', 'GET', '/api/v1/connections'],
    failedRequests: ['query', 'GET', '/api/v1/requests'],
    exportTable: ['idText', 'GET', '/api/v1/exports/{what}'],
  },
  ledger: {
    checkpoint: ['bare', 'GET', '/api/v1/ledger/checkpoint'],
    consistency: ['query', 'GET', '/api/v1/ledger/consistency'],
  },
  sandbox: {
    pay: ['idBare', 'POST', '/api/sandbox/transactions/{id}/pay'],
    expire: ['idBare', 'POST', '/api/sandbox/transactions/{id}/expire'],
    fail: ['idBare', 'POST', '/api/sandbox/transactions/{id}/fail'],
  },
  // The same under the paths without a version, whose replies have other fields.
  unversioned: {
    transactions: transactionReads('/api'),
    customers: customers('/api'),
  },
  service: {
    alive: ['state', 'GET', '/healthz'],
    ready: ['state', 'GET', '/readyz'],
    metrics: ['text', 'GET', '/metrics'],
    document: ['plain', 'GET', '/openapi.json'],
  },
};
