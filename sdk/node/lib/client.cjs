'use strict';

const { ApiError, ConnectionError } = require('./errors.cjs');
const operations = require('./operations.cjs');
const { Transport } = require('./transport.cjs');

const itemsPerPage = 100;
// How long a feed waits for events before it polls again.
const feedWaitSeconds = 20;

function pathOf(template, id) {
  if (!template.includes('{')) return template;
  if (typeof id !== 'string' || id === '' || /^\.+$/.test(id)) throw new TypeError('id must be an id');
  return template.replace(/\{\w+\}/, encodeURIComponent(id));
}

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

function demand(condition, what) {
  if (!condition) throw new ConnectionError(`The answer is not ${what}.`);
}

function parse({ text }) {
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    // Below. JSON.parse's own error shows what it could not parse.
  }
  demand(isObject(answer), 'a JSON object');
  return answer;
}

function dataOf(answer) {
  const { data } = parse(answer);
  demand(data !== undefined, 'the API’s: it has no data');
  return data;
}
function pageOf(answer) {
  const { data, meta } = parse(answer);
  demand(Array.isArray(data) && isObject(meta), 'a page');
  return { data, meta };
}
function feedPageOf(answer) {
  const page = pageOf(answer);
  demand(typeof page.meta.next === 'string', 'a page of the feed'); // without it, one would begin again
  return page;
}

// Each kind of operation as a function of the transport, the method and the path.
const kinds = {
  bare: (transport, method, path) => async (options) => dataOf(await transport.send(method, path, {}, options)),
  body: (transport, method, path) => async (body, options) =>
    dataOf(await transport.send(method, path, { body }, options)),
  query: (transport, method, path) => async (query, options) =>
    dataOf(await transport.send(method, path, { query }, options)),
  page: (transport, method, path) => async (query, options) =>
    pageOf(await transport.send(method, path, { query }, options)),
  idBare: (transport, method, path) => async (id, options) =>
    dataOf(await transport.send(method, pathOf(path, id), {}, options)),
  idQuery: (transport, method, path) => async (id, query, options) =>
    dataOf(await transport.send(method, pathOf(path, id), { query }, options)),
  // The server waits as long as requested, without a time-out meanwhile.
  feed: (transport, method, path) => async (query, options) => {
    const timeoutMs = (options?.timeoutMs ?? transport.timeoutMs) + 1000 * (query?.wait ?? 0);
    return feedPageOf(await transport.send(method, path, { query }, { ...options, timeoutMs }));
  },
  idBody: (transport, method, path) => async (id, body, options) =>
    dataOf(await transport.send(method, pathOf(path, id), { body: body ?? {} }, options)),
  idPage: (transport, method, path) => async (id, query, options) =>
    pageOf(await transport.send(method, pathOf(path, id), { query }, options)),
  idFeed: (transport, method, path) => async (id, query, options) =>
    feedPageOf(await transport.send(method, pathOf(path, id), { query }, options)),
  idText: (transport, method, path) => async (id, query, options) =>
    (await transport.send(method, pathOf(path, id), { query }, options)).text,
  idBytes: (transport, method, path) => async (id, query, options) =>
    (await transport.send(method, pathOf(path, id), { query }, options)).bytes,
  state: (transport, method, path) => async (options) =>
    dataOf(await transport.send(method, path, { isPublic: true }, options)),
  plain: (transport, method, path) => async (options) =>
    parse(await transport.send(method, path, { isPublic: true }, options)),
  text: (transport, method, path) => async (options) =>
    (await transport.send(method, path, { isPublic: true }, options)).text,
};

// Every item of every page. New items shift later ones to the next page: none is yielded twice.
async function* itemsOf(readPage, query = {}) {
  const seen = new Set();
  for (let page = query.page ?? 1; ; page += 1) {
    const { data, meta } = await readPage({ limit: itemsPerPage, ...query, page });
    for (const item of data) {
      if (!seen.has(item.id)) yield item;
      seen.add(item.id);
    }
    if (data.length === 0 || page >= (meta.totalPages ?? page)) return;
  }
}

// Where the feed continues, if a restore of the ledger cut off the history after the cursor.
function resumptionOf(error) {
  if (!(error instanceof ApiError) || error.code !== 'ERR_CURSOR_001') return undefined;
  return error.details.find(({ resumeAfter }) => typeof resumeAfter === 'string')?.resumeAfter;
}

// A page of the feed, or an empty one that leads to where it continues.
async function pageOrResumption(readPage, query, { onCutOff, ...options }) {
  try {
    return await readPage(query, options);
  } catch (error) {
    const next = resumptionOf(error);
    if (next === undefined || next === query.after) throw error;
    await onCutOff?.(next);
    return { data: [], meta: { next } };
  }
}

// Existing and new events, until the caller stops. Throws if the first reply never comes; afterwards
// no temporary failure ends it, unless it is to stop when there is nothing more.
async function* followingOf(readPage, query = {}, { stopWhenIdle = false, ...options } = {}) {
  let { retries } = options;
  for (let { after } = query; ; ) {
    // Fixes the place of "now" at once: otherwise the events of a lost reply would be missed while waiting.
    const wait = after === 'now' ? undefined : (query.wait ?? (stopWhenIdle ? undefined : feedWaitSeconds));
    const { data, meta } = await pageOrResumption(readPage, { ...query, wait, after }, { ...options, retries });
    yield* data;
    // Of certain types a page may be empty although the feed goes on.
    if (stopWhenIdle && data.length === 0 && meta.next === after) return;
    after = meta.next;
    if (!stopWhenIdle) retries ??= Infinity;
  }
}

const nameForAll = (list) => `${list}All`;
const iterators = {
  page: { nameFor: nameForAll, make: (list) => (query, options) => itemsOf((each) => list(each, options), query) },
  idPage: {
    nameFor: nameForAll,
    make: (list) => (id, query, options) => itemsOf((each) => list(id, each, options), query),
  },
  feed: {
    nameFor: () => 'follow',
    make: (list) => (query, options) => followingOf(list, query, options),
  },
};

function groupOf(transport, entries) {
  const group = {};
  for (const [name, entry] of Object.entries(entries)) {
    if (!Array.isArray(entry)) {
      group[name] = groupOf(transport, entry);
      continue;
    }
    const [kind, method, path] = entry;
    group[name] = kinds[kind](transport, method, path);
    const iterator = iterators[kind];
    if (iterator) group[iterator.nameFor(name)] = iterator.make(group[name]);
  }
  return Object.freeze(group);
}

/** Calls the API with one key. See index.d.cts. */
class PixledgerClient {
  constructor(options) {
    Object.assign(this, groupOf(new Transport(options), operations));
    Object.freeze(this);
  }

  toJSON() {
    throw new TypeError('a client cannot be serialised: it holds an API key');
  }
}

module.exports = { PixledgerClient };
