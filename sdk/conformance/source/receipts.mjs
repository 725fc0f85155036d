// Receipts that a server of 0.2.0 made (ledger.json), changed ones, and those of a ledger that signs rubbish.
import { readFileSync } from 'node:fs';
import { forge, forgedOrigin, forgerBytes, forgerLine, lineOf, partsOf } from './forger.mjs';

const ledger = JSON.parse(readFileSync(new URL('ledger.json', import.meta.url)));
const { publicKey, checkpoint: plainCheckpoint, proof, ...receipts } = ledger;
const { paid, refunded, expired, waiting_payment: waiting } = receipts;

const vector = (name, receipt, expect, { options = {}, ...input } = {}) => ({
  name: `receipt: ${name}`,
  kind: 'verify_receipt',
  input: {
    ...(typeof receipt === 'object' && receipt ? { receipt: JSON.stringify(receipt) } : { receipt }),
    publicKey,
    ...input,
  },
  options,
  expect,
});

// What a good receipt says, read from its own JSON.
function saidBy({ transactionId, checkpoint, events }, status) {
  const [origin, size, root] = checkpoint.split('\n');
  return {
    ok: true,
    transactionId,
    status,
    events: events.map(({ event }) => event),
    streamLength: events.length,
    withoutPersonalData: 0,
    origin,
    size: Number(size),
    rootHash: Buffer.from(root, 'base64').toString('hex'),
  };
}
const statusOf = { settled: 'paid', added: 'paid' };
const waits = { result: saidBy(waiting, 'waiting_payment') };
const text = JSON.stringify(waiting);
const bareKey = Buffer.from(publicKey.split('+').slice(2).join('+'), 'base64').subarray(1);
const accepted = (name, receipt, more) => vector(name, receipt, waits, more);
// The reason of a refund is personal data.
const withoutReason = change(paid, ({ events }) => {
  events[2].personal = null;
  events[2].event.data.reason = null;
});

const good = [
  ...Object.entries(receipts).map(([name, receipt]) =>
    vector(`a charge that is ${name}`, receipt, { result: saidBy(receipt, statusOf[name] ?? name) }),
  ),
  accepted('the output of pixledger prove', proof),
  accepted('a whole answer', { success: true, data: waiting }),
  accepted('a whole answer, the other way round', { data: waiting, success: true }),
  accepted('with white space', JSON.stringify(waiting, null, 2)),
  accepted('bytes', undefined, { receiptBase64: Buffer.from(text).toString('base64') }),
  accepted('the transaction that was meant', waiting, { options: { transactionId: waiting.transactionId } }),
  accepted('the key with a line end', waiting, { publicKey: `${publicKey}\n` }),
  accepted('the key in bytes', waiting, { publicKey: undefined, publicKeyBase64: bareKey.toString('base64') }),
  vector('without the personal data of an event', withoutReason, {
    result: { ...saidBy(withoutReason, 'paid'), withoutPersonalData: 1 },
  }),
];

// A changed copy.
function change(receipt, edit) {
  const copy = JSON.parse(JSON.stringify(receipt));
  return edit(copy) ?? copy;
}
const refused = (name, reason, receipt, more) => vector(name, receipt, { reason }, more);
const changed = (name, reason, edit, receipt = waiting) => refused(name, reason, change(receipt, edit));
const onFirst = (name, reason, edit, receipt) => changed(name, reason, ({ events: [first] }) => edit(first), receipt);
const malformed = (name, edit) => changed(name, 'malformed_receipt', edit);
const noJson = (name, receipt, more) => refused(name, 'malformed_receipt', receipt, more);
const assign = (object, fields) => void Object.assign(object, fields);
const flip = (base64) => {
  const bytes = Buffer.from(base64, 'base64');
  bytes[bytes.length >> 1] ^= 1;
  return bytes.toString('base64');
};

const bytes40 = Buffer.alloc(40).toString('base64');
const forms = [
  ...['', '{', '[]', '{}', 'null', '7', '"x"', '{"data":{}}', '{"data":null}'].map((each) =>
    noJson(`the text ${each || 'of nothing'}`, each),
  ),
  noJson('a byte order mark', `\ufeff${text}`),
  noJson('bytes that are not UTF-8', undefined, { receiptBase64: '/w==' }),
  noJson('10,000 levels', '['.repeat(1e4)),
  noJson('something after it', `${text}{}`),
  noJson('NaN', text.replace(/"position":\d+/, '"position":NaN')),
  noJson('a number that is no integer', text.replace(/"version":1/, '"version":1.0')),
  noJson('a number with an exponent', text.replace(/"version":1/, '"version":1e0')),
  noJson('a number that is too large', text.replace(/"version":1/, '"version":9007199254740993')),
  noJson('a name twice', text.replace('{', '{"transactionId":"c12345678",')),
  noJson('a name twice in an event', text.replace('"event":{', '"event":{"version":1,')),
  noJson('a name twice, once escaped', text.replace('"event":{', '"event":{"\\u0076ersion":1,')),
  noJson('a name twice deep inside an unknown field', text.replace('{', '{"other":{"a":[{"b":1,"b":1}]},')),
  noJson('an event of 101 levels', text.replace(/"event":\{.*\}/, `"event":${'['.repeat(101)}${']'.repeat(101)}}]}`)),
  noJson('half of a character', text.replace(/"actor":"/, '"actor":"\\ud83d')),
  noJson('an answer without success', { data: waiting }),
  noJson('an answer that failed', { success: false, data: waiting }),
  noJson('an answer with another field', { success: true, data: waiting, message: 'ok' }),
  malformed('an unknown field', (each) => assign(each, { isPaid: true })),
  malformed('a field whose name is __proto__', (each) => ({ ...each, ['__proto__']: 1 })),
  malformed('an unknown field of an event', ({ events: [first] }) => assign(first, { note: 1 })),
  malformed('no leaf', ({ events: [first] }) => void delete first.leaf),
  malformed('no personal', ({ events: [first] }) => void delete first.personal),
  malformed('events that are no list', (each) => assign(each, { events: {} })),
  malformed('an event that is null', (each) => assign(each, { events: [null] })),
  malformed('an id that is no id', (each) => assign(each, { transactionId: 'x' })),
  malformed('a checkpoint that is no text', (each) => assign(each, { checkpoint: 7 })),
  ...[-1, '5', null, true].map((position) =>
    malformed(`the position ${JSON.stringify(position)}`, ({ events: [first] }) => assign(first, { position })),
  ),
  ...[
    ['with a space', (leaf) => `${leaf} `],
    ['without padding', () => bytes40.slice(0, -2)],
    ['with loose bits', () => bytes40.replace('A==', 'B==')],
    ['with a line end', (leaf) => `${leaf}\n`],
    ['for URLs', () => '-_-_'.repeat(20)],
    ['that is empty', () => ''],
  ].map(([name, edit]) =>
    malformed(`a leaf ${name}`, ({ events: [first] }) => assign(first, { leaf: edit(first.leaf) })),
  ),
  malformed('a personal that is empty', ({ events: [first] }) => assign(first, { personal: '' })),
  malformed('a hash of 31 bytes', ({ events: [first] }) => void (first.proof[0] = Buffer.alloc(31).toString('base64'))),
  malformed('65 hashes', ({ events: [first] }) => assign(first, { proof: Array(65).fill(first.proof[0]) })),
  malformed('a proof that is no list', ({ events: [first] }) => assign(first, { proof: first.proof[0] })),
  ...[7, null].map((receipt) => vector(`${receipt} is wrong use`, receipt, { wrongUse: true })),
];

const otherLine = lineOf(forgedOrigin, bareKey);
const keys = [
  refused('another ledger’s key', 'not_signed', waiting, { publicKey: forgerLine }),
  refused('another ledger’s key in bytes', 'not_signed', waiting, {
    publicKey: undefined,
    publicKeyBase64: forgerBytes.toString('base64'),
  }),
  refused('the key under another ledger’s name', 'not_signed', waiting, { publicKey: otherLine }),
  ...[
    ['empty', ''],
    ['a word', 'x'],
    ['cut', publicKey.slice(0, -4)],
    ['of another id', publicKey.replace(/\+[0-9a-f]{8}/, '+00000000')],
    ['without an id', publicKey.replace(/\+[0-9a-f]{8}/, '')],
    ['null', null],
  ].map(([name, key]) => vector(`a key that is ${name}`, waiting, { wrongUse: true }, { publicKey: key })),
  vector(
    'a key of 31 bytes',
    waiting,
    { wrongUse: true },
    { publicKey: undefined, publicKeyBase64: Buffer.alloc(31).toString('base64') },
  ),
];

const otherSignature = waiting.checkpoint.split('\n').at(-2).replace('/1 ', '/2 ');
const signed = (name, edit) =>
  changed(name, 'not_signed', (each) => assign(each, { checkpoint: edit(each.checkpoint) }));
const proofs = [
  signed('a checkpoint of another size', (each) => each.replace(/\n(\d+)\n/, (_, size) => `\n${Number(size) + 1}\n`)),
  signed('a checkpoint without its last line end', (each) => each.slice(0, -1)),
  signed('a checkpoint with a line more', (each) => `${each}\n`),
  signed('a checkpoint twice', (each) => each + each),
  signed('a checkpoint whose signature is changed', (each) =>
    each.replace(/ ([^ ]+)\n$/, (_, signature) => ` ${flip(signature)}\n`),
  ),
  signed('a checkpoint without a signature', (each) => each.slice(0, each.lastIndexOf('\u2014'))),
  accepted(
    'a signature of another ledger beside it',
    change(waiting, (each) => assign(each, { checkpoint: `${each.checkpoint}${otherSignature}\n` })),
  ),
  refused('another transaction than the one that was meant', 'other_transaction', waiting, {
    options: { transactionId: paid.transactionId },
  }),
  changed('the id of another transaction', 'wrong_event', (each) =>
    assign(each, { transactionId: paid.transactionId }),
  ),
  changed('another transaction’s events under its checkpoint', 'wrong_event', (each) =>
    assign(each, { events: paid.events }),
  ),
  changed('no events', 'wrong_event', (each) => assign(each, { events: [] })),
  onFirst('another leaf', 'not_included', (first) => assign(first, { leaf: flip(first.leaf) })),
  onFirst('another position', 'not_included', (first) => assign(first, { position: first.position + 1 })),
  onFirst('the position 0', 'not_included', (first) => assign(first, { position: 0 })),
  onFirst('a position behind the end', 'not_included', (first) => assign(first, { position: 4000 })),
  onFirst('another hash', 'not_included', (first) => void (first.proof[1] = flip(first.proof[1]))),
  onFirst('a hash too few', 'not_included', (first) => void first.proof.pop()),
  onFirst('a hash too many', 'not_included', (first) => void first.proof.push(first.proof[0])),
  onFirst(
    'other personal data',
    'personal_data_differ',
    (first) => assign(first, { personal: flip(first.personal) }),
    paid,
  ),
  onFirst('personal data of an event that had none', 'personal_data_differ', (first) =>
    assign(first, { personal: 'AAAA' }),
  ),
  onFirst(
    'metadata that is shown without personal data',
    'shown_differs',
    (first) => assign(first, { personal: null }),
    paid,
  ),
  onFirst('another actor', 'shown_differs', (first) => assign(first.event, { actor: 'me' })),
  onFirst('another amount', 'shown_differs', (first) => assign(first.event.data, { amountCents: 1 })),
  onFirst('an amount that is text', 'shown_differs', (first) => assign(first.event.data, { amountCents: '1990' })),
  onFirst('true for 1', 'shown_differs', (first) => assign(first.event, { version: true })),
  onFirst('a field more', 'shown_differs', (first) => assign(first.event.data, { fee: 1 })),
  onFirst('a field less', 'shown_differs', (first) => void delete first.event.data.customerIp),
  onFirst('a text for null', 'shown_differs', (first) => assign(first.event.data, { externalId: '' })),
  onFirst('a list for an object', 'shown_differs', (first) => assign(first.event, { data: [] })),
  onFirst('no event', 'shown_differs', (first) => assign(first, { event: null })),
  onFirst('other metadata', 'shown_differs', (first) => assign(first.event.data.metadata, { 42: 4711 }), paid),
  changed('without its newest event', 'incomplete', (each) => void each.events.pop(), paid),
  changed(
    'without its newest event, under a plain checkpoint',
    'incomplete',
    (each) => {
      each.events.pop();
      each.checkpoint = plainCheckpoint;
    },
    expired,
  ),
  changed('under another receipt’s checkpoint', 'incomplete', (each) => assign(each, { checkpoint: paid.checkpoint })),
  changed('without its second event', 'wrong_event', (each) => void each.events.splice(1, 1), refunded),
  changed('without its first event', 'wrong_event', (each) => void each.events.shift(), paid),
  changed('its events in another order', 'wrong_event', (each) => void each.events.reverse(), expired),
];

const { transactionId } = paid;
const [created, ended] = paid.events.map((each) => [partsOf(each), each.event]);
const stranger = refunded.events.map((each) => [partsOf(each), each.event])[1];
const forger = { publicKey: forgerLine };
const forged = (name, reason, given, stated) =>
  refused(`a signed receipt: ${name}`, reason, forge(transactionId, given, stated), forger);
const fine = (name, given, stated, status, streamLength, more = {}) => {
  const receipt = forge(transactionId, given, stated);
  return vector(
    `a signed receipt: ${name}`,
    receipt,
    { result: { ...saidBy(receipt, status), streamLength, ...more } },
    forger,
  );
};
const about = `stream charge-${transactionId}`;
const { metadata, ...facts } = created[1].data;
const erased = [
  { ...created[0], personal: null },
  { ...created[1], data: { ...facts, customerIp: null } },
];
const withEnvelope = (edit) => {
  const envelope = Buffer.from(created[0].envelope);
  return [[{ ...created[0], envelope: edit(envelope) ?? envelope }, created[1]]];
};
const signedRubbish = [
  fine('of 0.1.0, which states no number', [created, ended], '', 'paid', null),
  fine('with its number', [created], `${about} 1\n`, 'waiting_payment', 1),
  fine('with other lines', [created], `other\n${about} 1\n`, 'waiting_payment', 1),
  fine('without personal data from the start', [erased], '', 'waiting_payment', null),
  forged('of more events', 'incomplete', [created], `${about} 2\n`),
  forged('of another stream', 'incomplete', [created], 'stream charge-c12345678 1\n'),
  forged('of no stream', 'incomplete', [created], 'stream - 0\n'),
  forged('of no stream with events', 'not_signed', [created], 'stream - 1\n'),
  forged('a number with a zero in front', 'not_signed', [created], `${about} 01\n`),
  forged('two streams', 'not_signed', [created], `${about} 1\n${about} 1\n`),
  forged('an empty line', 'not_signed', [created], `\n${about} 1\n`),
  forged('a gap', 'wrong_event', [ended]),
  forged('an event twice', 'wrong_event', [created, created]),
  forged('events in another order', 'wrong_event', [ended, created]),
  forged('another transaction’s event', 'wrong_event', [created, stranger]),
  forged(
    'an empty envelope',
    'unreadable_event',
    withEnvelope(() => Buffer.alloc(1)),
  ),
  forged(
    'half an envelope',
    'unreadable_event',
    withEnvelope((bytes) => bytes.subarray(0, bytes.length >> 1)),
  ),
  forged(
    'a root outside of the bytes',
    'unreadable_event',
    withEnvelope((bytes) => void bytes.writeUInt32LE(0xfffffff0, 0)),
  ),
  forged(
    'a root that is misaligned',
    'unreadable_event',
    withEnvelope((bytes) => void bytes.writeUInt32LE(bytes.readUInt32LE(0) + 1, 0)),
  ),
  forged(
    'a text that is not UTF-8',
    'unreadable_event',
    withEnvelope((bytes) => void (bytes[bytes.indexOf('req_')] ^= 0x80)),
  ),
  forged('personal data that are cut', 'unreadable_event', [
    [{ ...created[0], personal: created[0].personal.subarray(0, 20) }, created[1]],
  ]),
];

export default [...good, ...forms, ...keys, ...proofs, ...signedRubbish];
