// Checkout sessions, with every refusal that depends on the state of things.
import assert from 'node:assert/strict';
import { test } from 'node:test';

export function checkout(merchant) {
  test('every example body makes a session, which is shown, listed and cancelled', async () => {
    for (const body of merchant.checkoutBodies()) {
      const made = await merchant.expect(201, 'createCheckoutSession', { body });
      assert.equal(made.webhookSecret !== undefined, body.webhookUrl !== undefined);
      const { webhookSecret, ...session } = made;
      const { id } = session;
      assert.deepEqual(await merchant.expect(200, 'getCheckoutSession', { id }), session);
      const query = { status: 'open', externalId: session.externalId, environment: 'sandbox' };
      assert.deepEqual((await merchant.expect(200, 'listCheckoutSessions', { query }))[0], session);
      await merchant.expect('ERR_CHECKOUT_001', 'getCheckoutSession', { id, key: merchant.other.testKey });
      const cancelled = await merchant.expect(200, 'cancelCheckoutSession', { id });
      assert.equal(cancelled.status, 'cancelled');
      await merchant.expect('ERR_CHECKOUT_002', 'cancelCheckoutSession', { id });
      if (session.transactionId === null) continue;
      const charge = await merchant.expect(200, 'getTransactionV1', { id: session.transactionId });
      assert.equal(charge.status, 'cancelled');
    }
  });

  test("a session's webhooks are shown", async () => {
    const [, body] = merchant.checkoutBodies();
    const { id, transactionId } = await merchant.expect(201, 'createCheckoutSession', { body });
    for (;;) {
      const query = { status: 'delivered' };
      const [sent] = await merchant.expect(200, 'listCheckoutDeliveries', { id, query });
      if (sent) {
        assert.deepEqual([sent.channelId, sent.transactionId], [id, transactionId]);
        return;
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
    }
  });

  test('a session is refused where its transaction would be', async () => {
    const [least, full] = merchant.checkoutBodies();
    const create = (...options) => merchant.service.pixledger('project', 'create', ...options);
    const poor = await create('--name', 'Sem chave', '--max-amount-cents', '100');
    const small = { ...least, payment: { ...least.payment, amountCents: 100 } };
    await merchant.expect('ERR_STORE_001', 'createCheckoutSession', { body: small, key: poor.liveKey });
    await merchant.expect('ERR_TRANSACTION_004', 'createCheckoutSession', { body: least, key: poor.testKey });
    const { transactionId } = await merchant.expect(201, 'createCheckoutSession', { body: full });
    const { customer } = await merchant.expect(200, 'getTransactionV1', { id: transactionId });
    const block = { blockType: 'manual', reason: 'test' };
    await merchant.expect(200, 'blockCustomer', { id: customer.id, body: block });
    await merchant.expect('ERR_CUSTOMER_002', 'createCheckoutSession', { body: full });
    await merchant.expect(200, 'unblockCustomer', { id: customer.id });
    const entry = { type: 'document', value: full.customer.document };
    await merchant.expect(201, 'addBlocklistEntry', { body: entry });
    await merchant.expect('ERR_FRAUD_001', 'createCheckoutSession', { body: full });
  });
}
