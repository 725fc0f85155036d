// Keys and secrets are in no text of a client or of an error.
import { secret, t, v2 } from './signing.mjs';

const apiKey = 'sk_live_0123456789abcdefSECRET';
const vector = (name, input, hidden, options = {}) => ({
  name: `secrets: ${name}`,
  kind: 'secrets',
  input,
  options,
  expect: { hidden },
});
const called = (name, answers, more) =>
  vector(
    name,
    { client: { apiKey, retries: 0, timeoutMs: 1000 }, call: 'store.get', arguments: [], answers, ...more },
    [apiKey],
  );
const body = '{"event":"transaction.paid","data":{}}';
const webhook = (name, headers, more) =>
  vector(name, { body, headers, secret, ...more }, [secret, secret.slice(6)], { now: t });

export default [
  vector('a client', { client: { apiKey, baseUrl: 'https://api.example.com' } }, [apiKey]),
  vector('a client that is refused', { client: { apiKey, baseUrl: 'http://api.example.com' } }, [apiKey]),
  vector('a key that is refused', { client: { apiKey: `${apiKey} ` } }, [apiKey]),
  vector('credentials in a refused address', { client: { baseUrl: 'https://user:PASSWORD@api.example.com' } }, [
    'PASSWORD',
  ]),
  called('an error of the API', [
    { status: 401, json: { success: false, code: 'ERR_AUTH_001', message: 'no', details: [] } },
  ]),
  called('a reset', [{ reset: true }]),
  called('a time-out', [{ hang: true }]),
  called('a cut body', [{ text: '{"success":true}', cutAfter: 3 }]),
  called('an answer that is no JSON', [{ text: '<html>' }]),
  called('a certificate that is not trusted', [{ json: {} }], { server: 'httpsUntrusted' }),
  webhook('a webhook without a signature', {}),
  webhook('a webhook with another signature', { 'X-Webhook-Signature': v2(body, 'other') }),
  webhook('a webhook that is no JSON', { 'X-Webhook-Signature': v2('x') }, { body: 'x' }),
  webhook('a parsed webhook', { 'X-Webhook-Signature': v2(body) }, { body: { event: 'x' } }),
];
