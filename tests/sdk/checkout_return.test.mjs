import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import test from 'node:test';
import { verifyReturn } from '../../sdk/node/index.mjs';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
const at = 1_795_000_000;
const now = () => at * 1000;

function signed({ session = 'csession1', transaction = 'ccharge1', status = 'paid', t = at } = {}) {
  const text = `session=${session}&transaction=${transaction}&status=${status}&t=${t}`;
  return `${text}&sig=${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
}

test('what the store has signed lately is told', () => {
  for (const url of [`https://loja.example.com/ok?${signed()}`, `/ok?p=7&${signed()}`, new URL(`https://x.example/?${signed()}`)])
    assert.deepEqual(verifyReturn(url, key, { now }), {
      session: 'csession1',
      transaction: 'ccharge1',
      status: 'paid',
      signedAt: new Date(at * 1000),
    });
  assert.ok(verifyReturn(`/?${signed({ t: at - 3600 })}`, key, { now }));
});

test('that of another session is refused where one is named', () => {
  const url = `/ok?${signed()}`;
  assert.equal(verifyReturn(url, key, { now, session: 'csession1' }).session, 'csession1');
  assert.equal(verifyReturn(url, key, { now, session: 'csession2' }), undefined);
  assert.equal(verifyReturn(url, key, { now, session: '' }), undefined);
  for (const session of [null, undefined]) assert.throws(() => verifyReturn(url, key, { now, session }), TypeError);
});

test('nothing else is', () => {
  const good = signed();
  const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  assert.equal(verifyReturn(`/?${good}`, other.toString('base64'), { now }), undefined);
  assert.equal(verifyReturn(`/?${signed({ t: at - 3601 })}`, key, { now }), undefined);
  assert.equal(verifyReturn(`/?${signed({ t: at + 3601 })}`, key, { now }), undefined);
  assert.equal(verifyReturn(`/?${signed({ t: at - 61 })}`, key, { now, toleranceSeconds: 60 }), undefined);
  for (const url of [
    '',
    '/ok',
    `/?${good.replace('paid', 'refunded')}`,
    `/?${good.replace('csession1', 'csession2')}`,
    `/?${good.replace('&transaction', '&x=1&transaction')}`,
    `/?${good}&status=refunded`,
    `/?x${good}`,
    `/?${good.slice(0, -1)}`,
    `/?${good.slice(0, -1)}${good.endsWith('A') ? 'B' : 'A'}`,
  ])
    assert.equal(verifyReturn(url, key, { now }), undefined, url);
});

test('an invalid key or tolerance is a mistake of the caller', () => {
  assert.throws(() => verifyReturn(`/?${signed()}`, 'none'), TypeError);
  assert.throws(() => verifyReturn(`/?${signed()}`, key, { toleranceSeconds: -1 }), TypeError);
});
