// Sends each example of a request body, with a test key and in the document's order, to a real server: what a
// reader copies must be accepted. What holds for live charges, too, is sent with a live key. To be run by with_names.
// Environment:
//   PIXLEDGER_BIN_DIR  where pixledger and pixledger-server are (required)
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Service } from './api/service.mjs';

const service = new Service();
await service.start('--pay-url', 'https://pay.example.com');
after(() => service.stop());
const { testKey, liveKey } = await service.pixledger('project', 'create', '--name', 'Loja', '--pix-key', 'loja@example.com', '--merchant-city', 'RECIFE');

const forLive = new Set(['changeStore']);

async function call(method, path, body, key = testKey) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const answer = await service.send({ method, path, headers, body: body && JSON.stringify(body) });
  return { status: answer.status, value: answer.body && JSON.parse(answer.body) };
}

const { value: document } = await call('GET', '/openapi.json');
const made = {}; // the newest resource of each collection: what a path's {id} means

// What must have happened before an operation makes sense.
async function prepare(operation) {
  if (operation === 'refundTransaction') {
    const [, example] = Object.entries(document.paths['/api/v1/transactions'].post.requestBody.content['application/json'].examples)[0];
    const created = await call('POST', '/api/v1/transactions', example.value);
    made['/api/v1/transactions'] = created.value.data.id;
    const paid = await call('POST', `/api/sandbox/transactions/${created.value.data.id}/pay`);
    assert.equal(paid.status, 200, JSON.stringify(paid.value));
  }
}

let count = 0;
for (const [path, item] of Object.entries(document.paths))
  for (const [method, { operationId, security, requestBody }] of Object.entries(item)) {
    if (!requestBody || !security.some(({ apiKey }) => apiKey)) continue;
    for (const [name, { value }] of Object.entries(requestBody.content['application/json'].examples)) {
      count += 1;
      test(`${operationId} takes its example ${name}`, async () => {
        await prepare(operationId);
        const [collection] = path.split('/{id}');
        const answer = await call(method.toUpperCase(), path.replace('{id}', made[collection]), value, forLive.has(operationId) ? liveKey : testKey);
        assert.ok(answer.status >= 200 && answer.status < 300, `${answer.status} ${JSON.stringify(answer.value)}`);
        if (method === 'post' && !path.includes('{')) made[path] = answer.value.data?.id ?? answer.value.id;
      });
    }
  }

test('there are examples', () => assert.ok(count >= 20, `${count}`));
