// One bank for the tests of a file, with both its customers. Ends with the file.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, beforeEach } from 'node:test';
import { Customer, drive } from './customer.mjs';
import { table } from './settings.mjs';

const asAtFirst = Object.fromEntries(Object.entries(table).map(([name, [first]]) => [name, first]));

// bank: {told, close}, as startBank gives it.
export function openWorld({ told, close }) {
  const world = {
    told,
    client: new Customer(told),
    other: new Customer(told, 'other'),
    drive: (method, path, body) => drive(told, method, path, body),
    set: (settings) => drive(told, 'PATCH', '/settings', settings),
    pay: async (order) => (await drive(told, 'POST', '/pay', order)).payments,
    listPix: async (query = '') => {
      const window = 'inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z';
      const answer = await world.client.call('GET', `/pix?${window}${query}`);
      assert.equal(answer.status, 200);
      return answer.body;
    },
    fault: (...faults) => drive(told, 'POST', '/faults', faults),
  };
  beforeEach(async () => {
    await world.drive('DELETE', '/faults');
    await world.set(asAtFirst);
  });
  after(async () => {
    world.client.close();
    world.other.close();
    await close();
  });
  return world;
}

// A problem of the document's type, about these properties.
export function refused(answer, status, type, ...properties) {
  assert.equal(answer.status, status);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  assert.equal(answer.body.type, `https://pix.bcb.gov.br/api/v2/error/${type}`);
  assert.deepEqual(
    (answer.body.violacoes ?? []).map(({ propriedade }) => propriedade),
    properties,
  );
}

export const newTxid = () => `p${randomBytes(13).toString('hex')}`.slice(0, 26);

// Until `look` gives something, at most so long.
export async function until(look, seconds = 10) {
  for (const end = Date.now() + seconds * 1_000; ;) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < end, 'it did not come');
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}
