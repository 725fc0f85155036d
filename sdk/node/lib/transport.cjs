'use strict';

const { randomUUID } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');
const { ApiError, ConnectionError, TimeoutError } = require('./errors.cjs');

const firstPauseMs = 250;
const longestPauseMs = 8_000;
// A server that requests a longer pause is not waited for: the call fails, or retries after this one.
const longestRetryAfterMs = 60_000;
const isLoopback = (host) => host === 'localhost' || host === '[::1]' || /^127(\.[0-9]{1,3}){3}$/.test(host);

function parseUrl(text) {
  try {
    return new URL(text);
  } catch {
    // Node's own error has the text, which may have credentials.
    throw new TypeError('baseUrl must be a URL');
  }
}

function checkedBase(baseUrl, allowHttp) {
  const url = parseUrl(baseUrl);
  const secure = url.protocol === 'https:';
  if (!secure && !(url.protocol === 'http:' && (allowHttp || isLoopback(url.hostname))))
    throw new TypeError('baseUrl must be https: the API key would travel in plain text (allowHttp permits it)');
  if (url.username || url.password || url.search || url.hash)
    throw new TypeError('baseUrl must have neither credentials nor query');
  return url.href.replace(/\/+$/, '');
}

// Seconds or an HTTP date (RFC 9110 §10.2.3), in milliseconds.
function retryAfterOf(headers) {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^[0-9]+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

const textOf = (value) => (typeof value === 'string' ? value : undefined);

const isViolation = (each) => typeof each?.field === 'string' && typeof each.reason === 'string';

function errorOf(response, text) {
  let body = {};
  try {
    body = JSON.parse(text) ?? {};
  } catch {
    // A reply of an intermediary, such as a proxy.
  }
  return new ApiError({
    status: response.status,
    code: textOf(body.code) ?? `ERR_HTTP_${response.status}`,
    message: textOf(body.message) ?? `The server answered ${response.status}.`,
    details: (Array.isArray(body.details) ? body.details : []).filter(isViolation),
    requestId: textOf(body.requestId) ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterOf(response.headers),
  });
}

// OpenSSL's and Node's names for a certificate or a connection that TLS refuses: the same next time.
const tlsFault =
  /^(EPROTO|ERR_(TLS|SSL)_.*|.*(CERT|CRL)(_.*)?|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED)$/;

const lasting = new WeakSet(); // errors that repeats do not mend

function connectionErrorOf(cause) {
  const reason = cause.cause?.code ?? cause.message;
  const error = new ConnectionError(`No answer: ${reason}.`, { cause });
  if (tlsFault.test(reason)) lasting.add(error);
  return error;
}

// 502 and 504 come from an intermediary that got no reply itself.
const temporaryStatuses = [429, 502, 503, 504];

// Whether the same request may succeed later.
function isTemporary(error) {
  if (!(error instanceof ApiError)) return error instanceof ConnectionError && !lasting.has(error);
  return (
    temporaryStatuses.includes(error.status) || (error.status === 409 && error.code === 'ERR_IDEMPOTENCY_002')
  );
}

// Whether the request may have been carried out in spite of the error.
const isUncertain = (error) => !(error instanceof ApiError) || [502, 503, 504].includes(error.status);

function pauseBefore(attempt, error) {
  // The whole pause is random, so that many callers do not come back at once.
  const most = Math.min(longestPauseMs, firstPauseMs * 2 ** attempt);
  return Math.max(error.retryAfterMs ?? 0, Math.random() * most);
}

class Transport {
  // Not enumerable: printing a client does not print it.
  #apiKey;
  #base;
  #timeoutMs;
  #retries;
  #fetch;

  constructor({ apiKey, baseUrl, timeoutMs = 30_000, retries = 4, allowHttp = false, fetch = globalThis.fetch }) {
    if (typeof apiKey !== 'string' || !/^(?!whsec_)[!-~]+$/.test(apiKey)) throw new TypeError('apiKey must be an API key');
    if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be a number above 0');
    if (!Number.isInteger(retries) || retries < 0) throw new TypeError('retries must be an integer from 0 on');
    this.#apiKey = apiKey;
    this.#base = checkedBase(baseUrl, allowHttp);
    this.#timeoutMs = timeoutMs;
    this.#retries = retries;
    this.#fetch = fetch;
  }

  get timeoutMs() {
    return this.#timeoutMs;
  }

  // Resolves to {status, text, bytes} of a success. `retries` may be Infinity.
  async send(method, path, { query, body, isPublic = false } = {}, options = {}) {
    const request = this.#request(method, body, isPublic, options);
    const url = this.#base + path + searchOf(query);
    const retries = options.retries ?? this.#retries;
    let mayBeDone = false;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(url, request, options);
      } catch (error) {
        // A repeated DELETE finds nothing any more: the item is gone as requested; its reply is lost.
        if (method === 'DELETE' && mayBeDone && error.status === 404) return { status: 404, text: '{"data":null}' };
        if (attempt >= retries || !isTemporary(error)) throw error;
        mayBeDone ||= isUncertain(error);
        const pause = pauseBefore(attempt, error);
        if (pause > longestRetryAfterMs && retries !== Infinity) throw error;
        await sleep(Math.min(pause, longestRetryAfterMs), undefined, { signal: options.signal }).catch(() => {
          throw options.signal.reason;
        });
      }
    }
  }

  #request(method, body, isPublic, options) {
    const headers = { Accept: 'application/json', 'User-Agent': 'pixledger-sdk-node/0.2.0' };
    if (!isPublic) headers.Authorization = `Bearer ${this.#apiKey}`;
    if (options.requestId !== undefined) headers['X-Request-Id'] = checkedText('requestId', options.requestId);
    // One key for all attempts, so that they count as one.
    if (method === 'POST' || method === 'PATCH')
      headers['Idempotency-Key'] = checkedText('idempotencyKey', options.idempotencyKey ?? randomUUID());
    const isAmountNull = body !== undefined && 'amountCents' in body && (body.amountCents ?? null) === null;
    if (isAmountNull)
      throw new TypeError('amountCents must be a number, or left out: without it a refund is of all');
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    return { method, headers, body: body === undefined ? undefined : JSON.stringify(body), redirect: 'manual' };
  }

  async #attempt(url, request, { signal, timeoutMs = this.#timeoutMs }) {
    signal?.throwIfAborted();
    const controller = new AbortController();
    const abort = () => controller.abort();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      abort();
    }, timeoutMs);
    signal?.addEventListener('abort', abort);
    let response;
    let bytes;
    try {
      response = await this.#fetch(url, { ...request, signal: controller.signal });
      bytes = new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      if (isLate) throw new TimeoutError(`No answer within ${timeoutMs} ms.`, { cause });
      throw connectionErrorOf(cause);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
    const text = new TextDecoder().decode(bytes);
    if (!response.ok) throw errorOf(response, text);
    return { status: response.status, text, bytes };
  }
}

function checkedText(name, text) {
  if (typeof text !== 'string' || !/^[ -~]{1,255}$/.test(text))
    throw new TypeError(`${name} must be 1 to 255 printable ASCII characters`);
  return text;
}

const isPlainObject = (value) => value?.constructor === Object;
const entriesWithin = (name, object) => Object.entries(object).map(([key, value]) => [`${name}[${key}]`, value]);

// A list is joined with commas, an object is `name[key]` for each of its keys.
function searchOf(query = {}) {
  const given = Object.entries(query)
    .flatMap(([name, value]) => (isPlainObject(value) ? entriesWithin(name, value) : [[name, value]]))
    .filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(
    given.map(([name, value]) => [name, value instanceof Date ? value.toISOString() : String(value)]),
  ).toString();
  return search && `?${search}`;
}

module.exports = { Transport };
