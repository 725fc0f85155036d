// Checks pix codes with two independent parsers. Environment:
//   PIX_CODES_FILE  lines of pixCode TAB amountCents TAB pixKey TAB txid (required)
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { getPixPayloadInfo, isValidPixPayload } from '@brazilian-utils/brazilian-utils';
import pixUtils from 'pix-utils';

const { hasError, parsePix } = pixUtils;

// What each parser makes of a code, or null where it refuses it.
const parsers = {
  'brazilian-utils': (code) => {
    if (!isValidPixPayload(code)) return null;
    const { pointOfInitiation, key, amount, txid } = getPixPayloadInfo(code);
    return { isStatic: pointOfInitiation === 'static', key, amount, txid };
  },
  'pix-utils': (code) => {
    const found = parsePix(code);
    if (hasError(found)) return null;
    return { isStatic: found.type === 'STATIC', key: found.pixKey, amount: found.transactionAmount, txid: found.txid };
  },
};

// Amounts have at most eleven digits, which a double holds exactly enough to round back to cents.
const cents = (amount) => Math.round(amount * 100);

function readCodes(path) {
  assert.ok(path, 'set PIX_CODES_FILE');
  const lines = readFileSync(path, 'utf8').split('\n').filter((line) => line !== '');
  return lines.map((line, i) => {
    const [code, amountCents, key, txid, ...rest] = line.split('\t');
    assert.ok(txid !== undefined && rest.length === 0, `${path}:${i + 1}: four columns`);
    return { code, amountCents: Number(amountCents), key, txid };
  });
}

const codes = readCodes(process.env.PIX_CODES_FILE);

test('there are codes to check', () => assert.ok(codes.length > 0));

for (const [name, parse] of Object.entries(parsers)) {
  test(`${name} reads amount, key and txid back from every code`, () => {
    for (const { code, amountCents, key, txid } of codes) {
      const found = parse(code);
      assert.ok(found, `refused: ${code}`);
      assert.deepEqual({ ...found, amount: cents(found.amount) },
        { isStatic: true, key, amount: amountCents, txid }, code);
    }
  });

  test(`${name} refuses a code with any one character changed`, () => {
    const { code } = codes[0];
    for (let i = 0; i < code.length; i++) {
      const other = code[i] === '7' ? '8' : '7';
      const changed = code.slice(0, i) + other + code.slice(i + 1);
      assert.equal(parse(changed), null, `accepted with character ${i} changed: ${changed}`);
    }
  });

  test(`${name} refuses a code cut short`, () => {
    for (const { code } of codes.slice(0, 10)) assert.equal(parse(code.slice(0, -1)), null);
  });
}

const vectors = JSON.parse(readFileSync(new URL('../vectors/brcode.json', import.meta.url), 'utf8'));

test('the parsers agree with the known codes of others', () => {
  for (const { name, payload, valid, fields } of vectors) {
    const found = Object.values(parsers).map((parse) => parse(payload));
    // The strictest of the two decides: one lets a lower-case CRC through.
    if (!valid) assert.ok(found.includes(null), name);
    const account = fields?.['26']?.['01'];
    if (valid && account) for (const one of found) assert.equal(one?.key, account, name);
  }
});
