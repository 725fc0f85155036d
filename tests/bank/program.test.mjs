// The program: what it prints, how it ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Customer, drive } from './customer.mjs';
import { runBank } from './program.mjs';
import { newTxid } from './world.mjs';

test('the program says how to reach it, and ends well without a violation', async () => {
  const { told, end } = await runBank(
    '--no-document',
    '--settings',
    '{"settleMs":null}',
    '--until-input-ends',
  );
  assert.equal((await drive(told, 'GET', '/settings')).settleMs, null);
  const customer = new Customer(told);
  assert.equal((await customer.putCob(newTxid())).status, 201);
  customer.close();
  assert.deepEqual(await end(), { code: 0, last: { violations: [] } });
});
