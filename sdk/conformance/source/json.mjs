// Signed bodies: strict JSON, so that every language reads the same in them.
import { secret, signedAt, t, v2 } from './signing.mjs';

const vector = (name, bytes, expect) => ({
  name: `signed body: ${name}`,
  kind: 'verify_webhook',
  input: { bodyBase64: Buffer.from(bytes).toString('base64'), headers: { 'X-Webhook-Signature': v2(bytes) }, secret },
  options: { now: t },
  expect,
});
const good = (name, text) =>
  vector(name, text, {
    result: { ...JSON.parse(text), delivery: { id: null, attempt: null, sequence: null, version: 'v2', signedAt } },
  });
const bad = (name, bytes) => vector(name, bytes, { code: 'malformed_body' });
const withData = (text) => `{"event":"x","data":${text}}`;
// The object is one level, the lists in it are the others.
const nested = (depth) => withData('['.repeat(depth - 1) + ']'.repeat(depth - 1));
const utf16 = Buffer.from(`\ufeff${withData('1')}`, 'utf16le');

export default [
  good('decimals', withData('[19.9,0.1,-1.5e3,1E2,0,-0]')),
  good('white space', ' {\t"event" :\r\n"x" } '),
  good('escapes', withData('["\\u00e9\\ud83d\\ude00\\n\\"\\\\\\/"]')),
  good('one name in two objects', withData('[{"a":1},{"a":2}]')),
  good('names that differ in case', withData('{"a":1,"A":2}')),
  good('a list of braces in texts', withData('["{\\"a\\":1,\\"a\\":2}"]')),
  good('an escaped zero byte', withData('{"a\\u0000":"\\u0000"}')),
  good('names that are numbers', withData('{"1":1,"01":2,"-1":3}')),
  good('a name that languages know', withData('{"__proto__":1,"constructor":2,"__class__":3}')),
  good('100 levels', nested(100)),
  bad('101 levels', nested(101)),
  bad('10,000 levels', '['.repeat(1e4)),
  bad('a name twice', '{"event":"x","event":"x"}'),
  bad('a name twice, deep inside', withData('[{"b":{"a":1,"c":2,"a":1}}]')),
  bad('a name twice, once escaped', withData('{"a":1,"\\u0061":1}')),
  bad('an empty name twice', withData('{"":1,"":1}')),
  bad('half of a character', withData('"\\ud83d"')),
  bad('the other half of a character', withData('["\\ude00\\ud83d"]')),
  bad('half of a character in a name', withData('{"\\ud83d":1}')),
  bad('NaN', withData('NaN')),
  bad('Infinity', withData('-Infinity')),
  bad('a byte order mark', `\ufeff${withData('1')}`),
  bad('UTF-16', utf16),
  bad('not UTF-8', Buffer.concat([Buffer.from('{"event":"x","data":"'), Buffer.from([0xff]), Buffer.from('"}')])),
  bad(
    'a surrogate in UTF-8',
    Buffer.concat([Buffer.from('{"event":"x","data":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
  ),
  bad(
    'an overlong form in UTF-8',
    Buffer.concat([Buffer.from('{"event":"x","data":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
  ),
  bad('empty', ''),
  bad('null', 'null'),
  bad('a list', '[{"event":"x"}]'),
  bad('a text', '"event"'),
  bad('a number', '7'),
  bad('no event', '{}'),
  bad('an event that is no text', '{"event":1}'),
  bad('cut off', '{"event":"x"'),
  bad('something after it', '{"event":"x"}}'),
  bad('two bodies', '{"event":"x"}{"event":"x"}'),
  bad('a comma at the end', '{"event":"x",}'),
  bad('a comment', '{"event":"x"/* */}'),
  bad('single quotes', "{'event':'x'}"),
  bad('a control character in a text', '{"event":"x\ny"}'),
  bad('a number with a zero in front', withData('01')),
  bad('a number that begins with a point', withData('.5')),
  bad('a number with a plus', withData('+1')),
  bad('a hexadecimal number', withData('0x10')),
  bad('an unknown escape', withData('"\\x41"')),
  bad('white space of Unicode', '{"event":"x"}\u00a0'),
  bad('a form feed', '{"event":"x"}\f'),
  bad('a zero byte after it', '{"event":"x"}\0'),
];
