'use strict';

const { createHmac, timingSafeEqual } = require('node:crypto');
const { bytesFromBase64 } = require('./base64.cjs');
const { WebhookVerificationError } = require('./errors.cjs');
const { parseWithoutRepeats } = require('./strict-json.cjs');

const defaultToleranceSeconds = 300;
const v1Form = /^[0-9a-f]{64}$/;
const v2Form = /^t=([0-9]{1,12}),v1=([0-9a-f]{64})$/;
const timeForm = /^[0-9]{1,12}$/;
const standardHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const signatureHeaders = ['x-webhook-signature', 'x-webhook-signature-next', 'x-webhook-signature-between'];
const signaturesMax = 8; // more than any webhook has
const macBytes = 32;

const refuse = (code, message) => {
  throw new WebhookVerificationError(code, message);
};

// A header's value, in the forms of servers, frameworks and CGI; undefined if it is missing.
function headerOf(headers, name) {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const canonical = (each) => each.toLowerCase().replaceAll('_', '-').replace(/^http-/, '');
  const key = Object.keys(headers).find((each) => canonical(each) === name);
  const value = key === undefined ? undefined : headers[key];
  return Array.isArray(value) ? value.join(', ') : value;
}

function bytesOf(rawBody) {
  if (typeof rawBody === 'string') return Buffer.from(rawBody, 'utf8');
  if (rawBody instanceof ArrayBuffer) return Buffer.from(rawBody);
  if (ArrayBuffer.isView(rawBody)) return Buffer.from(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength);
  throw new TypeError('rawBody must be the bytes as they arrived, a Buffer or a string: not a parsed body');
}

function secretsOf(secret) {
  const secrets = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0 || secrets.some((each) => typeof each !== 'string' || each === ''))
    throw new TypeError('secret must be the channel’s secret, or a list of secrets');
  return secrets;
}

const malformed = () => refuse('malformed_signature', 'The webhook’s signature has none of the known forms.');

function parseSignature(text) {
  if (v1Form.test(text)) return { version: 'v1', mac: Buffer.from(text, 'hex') };
  const [, timestamp, mac] = v2Form.exec(text) ?? malformed();
  return { version: 'v2', timestamp, mac: Buffer.from(mac, 'hex') };
}

// At most 8, of one header after the other.
const split = (texts) => texts.flatMap((text) => text.split(' ', signaturesMax)).slice(0, signaturesMax);

// Those of https://www.standardwebhooks.com; undefined if there are none.
function standardSignaturesOf(headers) {
  const [id, timestamp, text] = standardHeaders.map((name) => headerOf(headers, name));
  if (text === undefined) return undefined;
  if (id === undefined || timestamp === undefined)
    refuse('missing_header', 'The webhook has a webhook-signature without webhook-id or webhook-timestamp.');
  if (!timeForm.test(timestamp)) malformed();
  const known = split([text]).filter((each) => !each.startsWith('v1a,')); // of a public key
  if (known.length === 0) malformed();
  return known.map((each) => ({ version: 'standard', id, timestamp, mac: standardMacOf(each) }));
}

function standardMacOf(text) {
  const mac = text.startsWith('v1,') ? bytesFromBase64(text.slice(3)) : undefined;
  return mac?.length === macBytes ? mac : malformed();
}

// X-Webhook-Signature goes first: a webhook of ours has both.
function signaturesOf(headers) {
  const texts = signatureHeaders.map((name) => headerOf(headers, name)).filter((text) => text !== undefined);
  if (texts.length > 0) return split(texts).map(parseSignature);
  return standardSignaturesOf(headers) ?? refuse('missing_header', 'The webhook has no X-Webhook-Signature.');
}

// What is signed in front of the body.
const prefixes = {
  v1: () => '',
  v2: ({ timestamp }) => `${timestamp}.`,
  standard: ({ id, timestamp }) => `${id}.${timestamp}.`,
};

// Standard Webhooks have the bytes after whsec_ as the key. Other secrets have none there: an empty one would fit all.
const standardKeyOf = (secret) => (secret.startsWith('whsec_') && bytesFromBase64(secret.slice(6))) || undefined;
const keyOf = ({ version }, secret) => (version === 'standard' ? standardKeyOf(secret) : secret);

function matches(signature, body, secret) {
  const key = keyOf(signature, secret);
  if (!key?.length) return false;
  const hmac = createHmac('sha256', key).update(prefixes[signature.version](signature));
  return timingSafeEqual(hmac.update(body).digest(), signature.mac);
}

// Computes all of them whatever the first result, so that the time reveals nothing.
function anyMatches(signatures, body, secrets) {
  let found;
  for (const signature of signatures) {
    for (const secret of secrets) if (matches(signature, body, secret)) found = signature;
  }
  return found;
}

// Rejects a signed text that is not the JSON of a webhook, or that readers might differ about. This is part of the
// proof: v2 signs "<t>.<body>", and an attacker who has seen a v2 webhook could present that text as a body with the
// v1 form.
function parseBody(body) {
  let event;
  try {
    event = parseWithoutRepeats(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    refuse('malformed_body', 'The webhook’s body is not strict JSON.');
  }
  if (event === null || typeof event !== 'object' || Array.isArray(event) || typeof event.event !== 'string')
    refuse('malformed_body', 'The webhook’s body is not that of a webhook.');
  return event;
}

const numberOf = (text) => (text === undefined || !/^[0-9]+$/.test(text) ? undefined : Number(text));

/**
 * Verifies that a webhook comes from pixledger, complete and recent, and returns it. See index.d.cts.
 */
function verifyWebhook(rawBody, headers, secret, options = {}) {
  const { toleranceSeconds = defaultToleranceSeconds, versions = ['v1', 'v2', 'standard'], now = Date.now } = options;
  const body = bytesOf(rawBody);
  const secrets = secretsOf(secret);
  if (headers === null || typeof headers !== 'object')
    throw new TypeError('headers must be those of the request');
  if (!(toleranceSeconds >= 0)) throw new TypeError('toleranceSeconds must be a number from 0 on');

  const signatures = signaturesOf(headers);
  if (!signatures.every(({ version }) => versions.includes(version)))
    refuse('unsupported_version', 'The form of the webhook’s signature is not accepted here.');

  // The signature first, so that callers without the secret learn nothing about the clock.
  const signature = anyMatches(signatures, body, secrets);
  if (!signature)
    refuse('signature_mismatch', 'The webhook’s signature fits neither body nor secret. Was the raw body given?');
  if (signature.version !== 'v1') {
    const age = Math.floor(now() / 1000) - Number(signature.timestamp);
    if (Math.abs(age) > toleranceSeconds)
      refuse('timestamp_out_of_range', `The webhook was signed ${age} s ago, which is not within the tolerance.`);
  }
  return {
    ...parseBody(body),
    delivery: {
      id: signature.id ?? headerOf(headers, 'x-webhook-id'),
      attempt: numberOf(headerOf(headers, 'x-webhook-attempt')),
      sequence: numberOf(headerOf(headers, 'x-webhook-sequence')),
      version: signature.version,
      signedAt: signature.timestamp && new Date(Number(signature.timestamp) * 1000),
    },
  };
}

module.exports = { verifyWebhook };
