// Where payers come back to: the address that the page signed.
import { sign } from 'node:crypto';
import { keyOf, publicBytesOf } from './forger.mjs';
import { signedAt, t } from './signing.mjs';

const key = keyOf('return');
const publicKey = publicBytesOf(key).toString('base64');

const textOf = ({ session = 'csession0001', transaction = 'ccharge00001', status = 'paid', time = t } = {}) =>
  `session=${session}&transaction=${transaction}&status=${status}&t=${time}`;
const signed = (parts) => {
  const text = textOf(parts);
  return `${text}&sig=${sign(null, Buffer.from(text), key).toString('base64url')}`;
};
const good = signed();
const result = { session: 'csession0001', transaction: 'ccharge00001', status: 'paid', signedAt };
const vector = (name, url, expect, { options = {}, ...input } = {}) => ({
  name: `return: ${name}`,
  kind: 'verify_return',
  input: { url, publicKey, ...input },
  options: { now: t, ...options },
  expect,
});
const accepted = (name, url, options, changed = {}) =>
  vector(name, url, { result: { ...result, ...changed } }, { options });
const refused = (name, url, more) => vector(name, url, { result: null }, more);
const wrong = (name, more) => vector(name, `/?${good}`, { wrongUse: true }, more);
const last = good.at(-1);
// The last character has two bits that no byte needs.
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const loose = good.slice(0, -1) + alphabet[alphabet.indexOf(last) + 1];

export default [
  accepted('an address', `https://loja.example.com/ok?${good}`),
  accepted('a path with the shop’s own query', `/ok?order=7&${good}`),
  accepted('the query alone', good),
  accepted('an expired session', `/?${signed({ status: 'expired' })}`, {}, { status: 'expired' }),
  accepted('the session that was meant', `/?${good}`, { session: 'csession0001' }),
  accepted('an hour old', `/?${good}`, { now: t + 3600 }),
  accepted('an hour early', `/?${good}`, { now: t - 3600 }),
  accepted('as old as the tolerance', `/?${good}`, { now: t + 60, toleranceSeconds: 60 }),
  refused('an hour and a second old', `/?${good}`, { options: { now: t + 3601 } }),
  refused('an hour and a second early', `/?${good}`, { options: { now: t - 3601 } }),
  refused('older than the tolerance', `/?${good}`, { options: { now: t + 61, toleranceSeconds: 60 } }),
  refused('a time beyond all calendars', `/?${signed({ time: 999_999_999_999_999 })}`),
  refused('another session', `/?${good}`, { options: { session: 'csession0002' } }),
  refused('an empty session is no session', `/?${good}`, { options: { session: '' } }),
  refused('another store’s key', `/?${good}`, { publicKey: publicBytesOf(keyOf('other')).toString('base64') }),
  refused('nothing', ''),
  refused('no signature', '/ok?order=7'),
  refused('another status', `/?${good.replace('paid', 'refunded')}`),
  refused('another session in it', `/?${good.replace('csession0001', 'csession0002')}`),
  refused('another time', `/?${good.replace(`t=${t}`, `t=${t + 1}`)}`),
  refused('a parameter between', `/?${good.replace('&transaction', '&x=1&transaction')}`),
  refused('a parameter after it', `/?${good}&status=refunded`),
  refused('a fragment after it', `/?${good}#x`),
  refused('a line end after it', `/?${good}\n`),
  refused('a name that only ends in session', `/?x${good}`),
  refused('a signature that is cut', `/?${good.slice(0, -1)}`),
  refused('another text of the same signature', `/?${loose}`),
  wrong('no key', { publicKey: 'none' }),
  wrong('a key that is too short', { publicKey: publicKey.slice(4) }),
  wrong('a negative tolerance', { options: { toleranceSeconds: -1 } }),
  wrong('a session that is null', { options: { session: null } }),
];
