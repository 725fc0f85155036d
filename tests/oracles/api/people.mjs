// People who sign in: what they do to their account, their team, its keys and money that did not fit, each answer as
// the document has it. What is refused to whom, and passkeys, are tried in tests/http/accounts, tests/http/users and
// the browser.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';

const password = 'correct horse battery';
const stepMs = 30_000;

function bytesOfBase32(text) {
  const bits = [...text].map((digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit).toString(2).padStart(5, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
}

// RFC 6238, of the step so far from now.
function codeOf(secret, aside = 0) {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / stepMs) + aside));
  const mac = createHmac('sha1', bytesOfBase32(secret)).update(counter).digest();
  const number = mac.readUInt32BE(mac.at(-1) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

export const isOfPeople = ({ tags, asksUser }) => asksUser || tags.includes('Sign-in');

async function workWithKeys(merchant, as) {
  const [body] = merchant.document.bodies(merchant.operation('issueKey'));
  const issued = await merchant.expect(201, 'issueKey', { ...as, body });
  const rolled = await merchant.expect(201, 'rollKey', { ...as, id: issued.id, body: { overlapSeconds: 0 } });
  assert.notEqual(rolled.key, issued.key);
  assert.notEqual((await merchant.expect(200, 'revokeKey', { ...as, id: rolled.id })).revokedAt, null);
  const keys = await merchant.expect(200, 'listKeys', { ...as, query: { limit: 100 } });
  for (const { id } of [issued, rolled]) assert.ok(keys.some((each) => each.id === id && each.key === undefined));
  await merchant.expect('ERR_KEY_001', 'revokeKey', { ...as, id: '0'.repeat(24) });
}

async function settlePayments(merchant, as) {
  const [first, second] = ['E12345678202611211205abcdefghijk', 'E12345678202611211205abcdefghijl'];
  const id = await merchant.createCharge();
  const { amountCents } = await merchant.expect(200, 'getTransactionV1', { id });
  const confirm = (endToEndId, cents) =>
    merchant.expect(200, 'confirmPayment', { ...as, id, body: { endToEndId, amountCents: cents } });
  assert.equal((await confirm(first, amountCents + 1)).flag, 'AMOUNT_MISMATCH');
  assert.equal((await merchant.expect(200, 'acceptPayment', { ...as, id: first })).status, 'paid');
  assert.equal((await confirm(second, amountCents)).flag, 'DUPLICATE_PAYMENT');
  const { unappliedPayments } = await merchant.expect(200, 'returnPayment', { ...as, id: second, body: { reason: 'em dobro' } });
  assert.deepEqual(unappliedPayments, []);
  await merchant.expect('ERR_PAYMENT_001', 'acceptPayment', { ...as, id: second });
}

async function compareStatement(merchant, { key, headers }) {
  const body = 'endToEndId,amountCents,paidAt\nE12345678202611211205abcdefghijk,1990,2026-11-21T12:05:09Z\n';
  const asFile = { ...headers, 'Content-Type': 'application/octet-stream' };
  const { outcome, counts } = await merchant.expect(200, 'reconcileStatement', { key, headers: asFile, body });
  assert.deepEqual([outcome, counts.missingInLedger], ['differs', 1]);
  for (const text of ['<OFX></OFX>', '{"pix":[]}']) await merchant.expect(200, 'reconcileStatement', { key, headers: asFile, body: text });
}

export function people(merchant) {
  const email = 'dona@loja.example.com';
  const member = 'caixa@loja.example.com';

  test('somebody is invited, sets what they sign in with, works with the team, and leaves', async () => {
    const { projectId } = merchant.project;
    const headers = { 'Pixledger-Project': projectId };
    const invited = await merchant.service.pixledger(
      ...['user', 'invite', '--project', projectId, '--email', email, '--role', 'owner'],
    );
    const body = { invitation: invited.url.split('/').at(-1) };
    const first = await merchant.expect(201, 'createSignIn', { body });
    assert.equal(first.mustSetCredential, true);
    await merchant.expect('ERR_AUTH_012', 'listMembers', { key: first.token, headers });

    await merchant.expect(200, 'setPassword', { key: first.token, body: { password } });
    const { secret } = await merchant.expect(201, 'setTotp', { key: first.token, body: {} });
    const enabled = await merchant.expect(200, 'setTotp', { key: first.token, body: { code: codeOf(secret) } });
    const current = await merchant.expect(200, 'getCurrentSignIn', { key: first.token });
    assert.deepEqual([current.user.id, current.user.hasTotp, current.mustSetCredential], [invited.userId, true, false]);

    const [recoveryCode] = enabled.recoveryCodes;
    const { token: key } = await merchant.expect(201, 'createSignIn', { body: { email, password, recoveryCode } });
    await merchant.expect(200, 'confirmSignIn', { key, body: { password, totp: codeOf(secret, 1) } });
    await merchant.expect(201, 'createSignInChallenge', { body: { purpose: 'sign_in' } });
    assert.deepEqual(await merchant.expect(200, 'listPasskeys', { key }), []);
    await merchant.expect(201, 'replaceRecoveryCodes', { key });

    const { userId } = await merchant.expect(201, 'addMember', { key, headers, body: { email: member, role: 'viewer' } });
    const changed = await merchant.expect(200, 'changeMember', { key, headers, id: userId, body: { role: 'operator' } });
    assert.deepEqual([changed.email, changed.role, changed.invitationPending], [member, 'operator', true]);
    const again = await merchant.expect(201, 'inviteMember', { key, headers, id: userId });
    assert.equal(again.userId, userId);
    const members = await merchant.expect(200, 'listMembers', { key, headers });
    assert.deepEqual(
      members.map((one) => [one.userId, one.role]),
      [
        [invited.userId, 'owner'],
        [userId, 'operator'],
      ],
    );
    await merchant.expect(200, 'removeMember', { key, headers, id: userId });
    await merchant.expect('ERR_MEMBER_001', 'removeMember', { key, headers, id: userId });
    await merchant.expect('ERR_MEMBER_002', 'removeMember', { key, headers, id: invited.userId });

    for (const operation of ['listMembers', 'listKeys', 'listSignIns', 'listPasskeys', 'getCurrentSignIn'])
      assert.equal((await merchant.call(operation, { key, headers, method: 'HEAD' })).status, 200, operation);
    await workWithKeys(merchant, { key, headers });
    await settlePayments(merchant, { key, headers });
    await compareStatement(merchant, { key, headers });

    const signIns = await merchant.expect(200, 'listSignIns', { key });
    const other = signIns.find(({ isCurrent }) => !isCurrent);
    await merchant.expect(200, 'endSignIn', { key, id: other.id });
    await merchant.expect('ERR_AUTH_011', 'getCurrentSignIn', { key: first.token });
    await merchant.expect(200, 'endCurrentSignIn', { key });
    await merchant.expect('ERR_AUTH_011', 'getCurrentSignIn', { key });
  });

  test('what people alone may do is refused to every key', async () => {
    for (const operation of merchant.document.operations.values()) {
      if (!isOfPeople(operation) || operation.isPublic) continue;
      await merchant.expect('ERR_AUTH_010', operation.id, { id: 'c000000000000000000000000', key: merchant.project.liveKey });
    }
  });

  test('the feed tells what became of the team', async () => {
    const query = { types: 'member.added,member.role_changed,member.invited,member.removed', limit: 100 };
    const events = await merchant.expect(200, 'listEvents', { query });
    assert.deepEqual(
      events.map(({ event }) => event),
      ['member.added', 'member.added', 'member.role_changed', 'member.invited', 'member.removed'],
    );
  });
}
