// Creates COUNT charges and reads the feed; prints {ids, seen}. Its like in PHP and Python do the same.
import { PixledgerClient } from '../../../sdk/node/index.mjs';

const { URL: baseUrl, KEY: apiKey, COUNT } = process.env;
const client = new PixledgerClient({ apiKey, baseUrl, retries: 30, timeoutMs: 5000 });
const order = {
  customer: { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' },
  payment: { amountCents: 1990, product: 'Camiseta' },
  originDomain: 'loja.example.com',
};
const ids = [];
for (let i = 0; i < Number(COUNT); i += 1)
  ids.push((await client.transactions.create(order, { idempotencyKey: `node-${i}` })).id);
const seen = [];
for await (const event of client.events.follow({ limit: 5, types: 'transaction.created' }, { stopWhenIdle: true }))
  seen.push(event.transactionId);
console.log(JSON.stringify({ ids, seen }));
