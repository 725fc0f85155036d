// Webhooks: the forms of signatures, rotation, the clock.
import { readFileSync } from 'node:fs';
import { otherSecret, secret, signedAt, standard, standardHeaders, t, v1, v2 } from './signing.mjs';

const data = { transactionId: 'ccharge00001', product: 'Camiseta azul’ção', isSandbox: false, amount: 19.9, fee: 1e2 };
const parsed = { event: 'transaction.paid', type: 'transaction', apiVersion: 'v1', data };
const body = JSON.stringify(parsed);
const h2 = { 'X-Webhook-Signature': v2(body) };
const none = { id: null, attempt: null, sequence: null };
const delivered = { ...none, version: 'v2', signedAt };
const undated = { ...none, version: 'v1', signedAt: null };

const webhook = (name, { options, expect, ...input }) => ({
  name: `webhook: ${name}`,
  kind: 'verify_webhook',
  input: { body, headers: h2, secret, ...input },
  options: { now: t, ...options },
  expect,
});
const accepted = (name, input, delivery = {}) =>
  webhook(name, { expect: { result: { ...parsed, delivery: { ...delivered, ...delivery } } }, ...input });
const refused = (name, code, input) => webhook(name, { expect: { code }, ...input });
const wrong = (name, input) => webhook(name, { expect: { wrongUse: true }, ...input });
const withSignature = (value) => ({ headers: { 'X-Webhook-Signature': value } });

const all = {
  'X-Webhook-Id': 'cdelivery1',
  'X-Webhook-Attempt': '3',
  'X-Webhook-Sequence': '12',
  ...h2,
};
const known = { id: 'cdelivery1', attempt: 3, sequence: 12 };
const many = (count, last) => Array(count).fill(v2(body, 'no')).concat(last).join(' ');

// What a worker of 0.2.0 sent.
const deliveries = JSON.parse(readFileSync(new URL('deliveries.json', import.meta.url)));
function sent(name, { body: text, headers, secret: key }, version, more = {}) {
  const time = Number(headers['webhook-timestamp']);
  const delivery = {
    id: headers['x-webhook-id'],
    attempt: 1,
    sequence: Number(headers['x-webhook-sequence']) || null,
    version,
    signedAt: time ? new Date(1000 * time).toISOString() : null,
  };
  const result = { ...JSON.parse(text), delivery: { ...delivery, ...more } };
  return webhook(name, { body: text, headers, secret: key, options: { now: time + 5 || t }, expect: { result } });
}
const withoutOurs = ({ headers, ...each }) => ({
  ...each,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-'))),
});
const anonymous = { attempt: null, sequence: null };
const { rotated } = deliveries;
const recorded = [
  sent('v1 as it was sent', deliveries.v1, 'v1'),
  sent('v2 as it was sent', deliveries.v2, 'v2'),
  sent('Standard Webhooks as it was sent', withoutOurs(deliveries.v2), 'standard', {
    ...anonymous,
    id: deliveries.v2.headers['x-webhook-id'],
  }),
  ...rotated.secrets.flatMap((key, i) => [
    sent(`rotated as it was sent, secret ${i + 1}`, { ...rotated, secret: key }, 'v2'),
    sent(
      `rotated as it was sent, Standard Webhooks, secret ${i + 1}`,
      withoutOurs({ ...rotated, secret: key }),
      'standard',
      {
        ...anonymous,
        id: rotated.headers['x-webhook-id'],
      },
    ),
  ]),
];

const forms = [
  accepted('v2', {}),
  accepted('v1', { ...withSignature(v1(body)) }, undated),
  accepted('a delivery has id, attempt and sequence', { headers: all }, known),
  accepted(
    'an attempt that is no number is absent',
    { headers: { ...all, 'X-Webhook-Attempt': '1x' } },
    { ...known, attempt: null },
  ),
  accepted(
    'names of headers in any case',
    {
      headers: Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toUpperCase(), value])),
    },
    known,
  ),
  accepted(
    'values of headers as lists',
    {
      headers: Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), [value]])),
    },
    known,
  ),
  accepted(
    'headers as CGI and WSGI name them',
    {
      headers: Object.fromEntries(
        Object.entries(all).map(([name, value]) => [`HTTP_${name.toUpperCase().replaceAll('-', '_')}`, value]),
      ),
    },
    known,
  ),
  accepted(
    'headers with underscores, as lists, as WordPress names them',
    {
      headers: Object.fromEntries(
        Object.entries(all).map(([name, value]) => [name.toLowerCase().replaceAll('-', '_'), [value]]),
      ),
    },
    known,
  ),
  accepted(
    'the id of Standard Webhooks is the signed one',
    { headers: { ...standardHeaders(body), 'X-Webhook-Id': 'cforged' } },
    { id: 'cdelivery1', version: 'standard' },
  ),
  accepted('Standard Webhooks', { headers: standardHeaders(body) }, { id: 'cdelivery1', version: 'standard' }),
  accepted(
    'Standard Webhooks as CGI names them',
    {
      headers: {
        HTTP_WEBHOOK_ID: 'cdelivery1',
        HTTP_WEBHOOK_TIMESTAMP: String(t),
        HTTP_WEBHOOK_SIGNATURE: standard(body),
      },
    },
    { id: 'cdelivery1', version: 'standard' },
  ),
  accepted(
    'X-Webhook-Signature goes before Standard Webhooks',
    { headers: { ...h2, ...standardHeaders(body, 'v1,AAAA') } },
    {},
  ),
  refused('a bad X-Webhook-Signature is not made good by Standard Webhooks', 'signature_mismatch', {
    headers: { 'X-Webhook-Signature': v2(body, otherSecret), ...standardHeaders(body) },
  }),
  accepted('a body in bytes', { body: undefined, bodyBase64: Buffer.from(body).toString('base64') }),
];

const mismatches = [
  refused('another body', 'signature_mismatch', { body: `${body} ` }),
  refused('another secret', 'signature_mismatch', { secret: otherSecret }),
  refused(
    'another time than the signed one',
    'signature_mismatch',
    withSignature(v2(body).replace(`t=${t}`, `t=${t + 1}`)),
  ),
  refused('v1 of another body', 'signature_mismatch', {
    ...withSignature(v1(body)),
    body: body.replace('paid', 'PAID'),
  }),
  refused('Standard Webhooks with another id', 'signature_mismatch', {
    headers: { ...standardHeaders(body), 'webhook-id': 'cdelivery2' },
  }),
  refused('Standard Webhooks without an id', 'missing_header', {
    headers: { ...standardHeaders(body), 'webhook-id': undefined },
  }),
  refused('Standard Webhooks without a time', 'missing_header', {
    headers: { ...standardHeaders(body), 'webhook-timestamp': undefined },
  }),
  refused('Standard Webhooks with a time that is no number', 'malformed_signature', {
    headers: { ...standardHeaders(body), 'webhook-timestamp': '1e9' },
  }),
  ...[
    ['that is empty', ''],
    ['that is cut', standard(body).slice(0, -1)],
    ['of no version', standard(body).slice(3)],
    ['of 31 bytes', `v1,${Buffer.alloc(31).toString('base64')}`],
    ['with a line end', `${standard(body)}\n`],
  ].map(([name, value]) =>
    refused(`Standard Webhooks with a signature ${name}`, 'malformed_signature', {
      headers: standardHeaders(body, value),
    }),
  ),
  refused('Standard Webhooks with unknown versions alone', 'malformed_signature', {
    headers: standardHeaders(body, 'v1a,AAAA'),
  }),
  // The key would be empty: anyone could sign.
  ...['whsec_', 'whsec_!!!!', 'café', 'whsec_AB='].map((each) =>
    refused(`Standard Webhooks with the secret ${each}, which is no key`, 'signature_mismatch', {
      headers: standardHeaders(body, standard(body, Buffer.alloc(0))),
      secret: each,
    }),
  ),
  refused('no signature', 'missing_header', { headers: { 'X-Webhook-Id': 'cdelivery1' } }),
  refused('no headers', 'missing_header', { headers: {} }),
  refused('a v2 webhook dressed up as v1', 'malformed_body', {
    ...withSignature(v2(body).slice(-64)),
    body: `${t}.${body}`,
  }),
  ...[
    ['empty', ''],
    ['too short', v2(body).slice(0, -1)],
    ['too long', `${v2(body)}0`],
    ['in capitals', v1(body).toUpperCase()],
    ['with a space before it', ` ${v1(body)}`],
    ['with a negative time', v2(body).replace('t=', 't=-')],
    ['with a line end', `${v1(body)}\n`],
    ['twice in one header', `${v1(body)},${v1(body)}`],
  ].map(([name, value]) => refused(`a signature ${name}`, 'malformed_signature', withSignature(value))),
  refused('a signature header twice', 'malformed_signature', withSignature([v1(body), v1(body)])),
];

const next = { 'X-Webhook-Signature': v2(body, otherSecret), 'X-Webhook-Signature-Next': v2(body) };
const rotation = [
  accepted('rotation: the next secret', { headers: next }),
  accepted('rotation: the old secret', { headers: next, secret: otherSecret }),
  refused('rotation: a third secret', 'signature_mismatch', { headers: next, secret: 'third' }),
  refused('rotation: a malformed next signature', 'malformed_signature', {
    headers: { ...h2, 'X-Webhook-Signature-Next': 'x' },
  }),
  accepted('rotation: one between', {
    headers: { ...next, 'X-Webhook-Signature-Between': `${v2(body, 'second')} ${v2(body, 'third')}` },
    secret: 'third',
  }),
  accepted('rotation: a list of secrets', { secret: [otherSecret, secret] }),
  accepted('the eighth signature is looked at', withSignature(many(7, v2(body)))),
  refused('the ninth signature is not', 'signature_mismatch', withSignature(many(8, v2(body)))),
  accepted('a ninth signature that is malformed is not looked at', withSignature(`${many(7, v2(body))} x`)),
  refused('an eighth signature that is malformed is', 'malformed_signature', withSignature(many(7, 'x'))),
  accepted(
    'Standard Webhooks: one of two signatures',
    {
      headers: standardHeaders(body, `${standard(body, otherSecret)} ${standard(body)}`),
    },
    { id: 'cdelivery1', version: 'standard' },
  ),
  accepted(
    'Standard Webhooks: unknown versions are skipped',
    {
      headers: standardHeaders(body, `v1a,${Buffer.alloc(64).toString('base64')} ${standard(body)}`),
    },
    { id: 'cdelivery1', version: 'standard' },
  ),
];

const versions = [
  refused('v1 is not accepted where only v2 is', 'unsupported_version', {
    ...withSignature(v1(body)),
    options: { versions: ['v2'] },
  }),
  accepted('v2 where only v2 is accepted', { options: { versions: ['v2'] } }),
  refused('Standard Webhooks where only v2 is accepted', 'unsupported_version', {
    headers: standardHeaders(body),
    options: { versions: ['v2'] },
  }),
  refused('v2 where only Standard Webhooks is accepted', 'unsupported_version', {
    options: { versions: ['standard'] },
  }),
];

const late = (seconds, options = {}) => ({ options: { now: t + seconds, ...options } });
const clock = [
  ...[-300, 300].map((age) => accepted(`an age of ${age} s`, late(age))),
  ...[-301, 301].map((age) => refused(`an age of ${age} s`, 'timestamp_out_of_range', late(age))),
  accepted('an age of the tolerance', late(10, { toleranceSeconds: 10 })),
  refused('an age of a second more', 'timestamp_out_of_range', late(11, { toleranceSeconds: 10 })),
  accepted('no tolerance, at once', late(0, { toleranceSeconds: 0 })),
  refused('no tolerance, a second later', 'timestamp_out_of_range', late(1, { toleranceSeconds: 0 })),
  refused('an old one with another secret tells nothing of the clock', 'signature_mismatch', {
    ...late(9999),
    secret: otherSecret,
  }),
  refused('a time beyond all calendars', 'timestamp_out_of_range', withSignature(v2(body, secret, 999_999_999_999))),
  accepted('v1 has no time', { ...withSignature(v1(body)), ...late(1e9) }, undated),
  refused('Standard Webhooks, 301 s old', 'timestamp_out_of_range', { headers: standardHeaders(body), ...late(301) }),
  accepted(
    'Standard Webhooks, 300 s early',
    { headers: standardHeaders(body), ...late(-300) },
    { id: 'cdelivery1', version: 'standard' },
  ),
];

const mistakes = [
  wrong('a parsed body', { body: parsed }),
  wrong('no body', { body: null }),
  wrong('no headers at all', { headers: null }),
  wrong('an empty secret', { secret: '' }),
  wrong('no secret', { secret: null }),
  wrong('an empty list of secrets', { secret: [] }),
  wrong('a negative tolerance', { options: { toleranceSeconds: -1 } }),
];

export default [...recorded, ...forms, ...mismatches, ...rotation, ...versions, ...clock, ...mistakes];
