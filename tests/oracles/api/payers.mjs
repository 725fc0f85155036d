// Customers, the blocklist and the store, with every refusal that depends on the state of things.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOfStore } from './merchant.mjs';

export function customers(merchant) {
  for (const group of ['V1', '']) {
    test(`saveCustomer${group} creates, then updates; the customer can be listed and got`, async () => {
      const body = merchant.newCustomer();
      const { id } = await merchant.expect(201, `saveCustomer${group}`, { body });
      const again = await merchant.expect(200, `saveCustomer${group}`, {
        body: { ...body, name: 'Ana Souza' },
      });
      assert.deepEqual([again.id, again.name], [id, 'Ana Souza']);
      const today = dayOfStore(again.createdAt);
      const [newest] = await merchant.expect(200, `listCustomers${group}`, {
        query: { dateFrom: today, dateTo: today, limit: 1 },
      });
      assert.equal(newest.id, id);
      assert.equal((await merchant.expect(200, `getCustomer${group}`, { id })).totalTransactions, 0);
      await merchant.expect('ERR_CUSTOMER_001', `getCustomer${group}`, { id, key: merchant.other.testKey });
    });

    test(`saveCustomer${group} wants the whole address`, async () => {
      const { address, ...body } = merchant.newCustomer();
      const { city, ...rest } = address;
      const { details } = await merchant.expect('ERR_VALIDATION_001', `saveCustomer${group}`, {
        body: { ...body, address: rest },
      });
      assert.deepEqual(
        details.map(({ field }) => field),
        ['address.city'],
      );
    });
  }

  test('a blocked customer cannot create charges, and the attempts are shown', async () => {
    const charge = merchant.newCharge();
    const { id } = await merchant.expect(201, 'createTransaction', { body: charge });
    const { customer } = await merchant.expect(200, 'getTransactionV1', { id });
    for (const body of merchant.document.bodies(merchant.operation('blockCustomer'))) {
      const blocked = await merchant.expect(200, 'blockCustomer', { id: customer.id, body });
      assert.deepEqual(
        [blocked.isBlocked, blocked.blockType, blocked.blockedReason],
        [true, body.blockType, body.reason],
      );
      await merchant.expect('ERR_CUSTOMER_002', 'createTransaction', { body: charge });
    }
    const shown = await merchant.expect(200, 'getCustomerV1', { id: customer.id });
    assert.deepEqual(
      shown.fraudEvents.map(({ fraudType }) => fraudType),
      ['blocked_customer', 'blocked_customer'],
    );
    assert.deepEqual(
      shown.recentTransactions.map((one) => one.id),
      [id],
    );
    assert.equal((await merchant.expect(200, 'unblockCustomer', { id: customer.id })).isBlocked, false);
    await merchant.expect(201, 'createTransaction', { body: charge });
  });
}

export function blocklist(merchant) {
  test('payers on the blocklist cannot create charges', async () => {
    const charge = merchant.newCharge();
    const payer = {
      ip: { customerIp: '203.0.113.66' },
      cidr: { customerIp: '2001:db8:66::1' },
      email: { customer: { ...charge.customer, email: 'Mallory@example.com' } },
      document: { customer: { ...charge.customer, document: '11144477735' } },
    };
    for (const body of merchant.document.bodies(merchant.operation('addBlocklistEntry'))) {
      const entry = await merchant.expect(201, 'addBlocklistEntry', { body });
      assert.deepEqual(await merchant.expect(200, 'addBlocklistEntry', { body }), entry);
      assert.deepEqual((await merchant.expect(200, 'listBlocklist'))[0], entry);
      const refused = { body: { ...charge, ...payer[body.type] } };
      await merchant.expect('ERR_FRAUD_001', 'createTransaction', refused);
      await merchant.expect('ERR_BLOCKLIST_001', 'removeBlocklistEntry', {
        id: entry.id,
        key: merchant.other.testKey,
      });
      assert.deepEqual(await merchant.expect(200, 'removeBlocklistEntry', { id: entry.id }), entry);
      await merchant.expect('ERR_BLOCKLIST_001', 'removeBlocklistEntry', { id: entry.id });
      await merchant.expect(201, 'createTransaction', refused);
    }
  });
}

export function store(merchant) {
  test('the store is changed by every example body', async () => {
    for (const body of merchant.document.bodies(merchant.operation('changeStore'))) {
      const changed = await merchant.expect(200, 'changeStore', { body });
      assert.deepEqual(changed, { ...changed, ...body });
      assert.deepEqual(await merchant.expect(200, 'getStore'), changed);
    }
    const { details } = await merchant.expect('ERR_VALIDATION_001', 'changeStore', {
      body: { pixExpirationMinutes: 0, maxTransactionAmountCents: 0 },
    });
    assert.deepEqual(
      details.map(({ field }) => field),
      ['pixExpirationMinutes', 'maxTransactionAmountCents'],
    );
  });
}
