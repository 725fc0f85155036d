// Creates charges at a steady pace, each on time whatever happened to earlier ones.
// Usage: node create-paced.mjs BASE_URL API_KEY A_SECOND COUNT
import http from 'node:http';
import { customer, PAYERS } from '../load/people.mjs';

const [baseUrl, key, perSecond, count] = process.argv.slice(2);
const url = new URL(`${baseUrl}/api/v1/transactions`);
const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });

function create(i) {
  const body = JSON.stringify({
    customer: customer(i % PAYERS),
    payment: { amountCents: 100 + i, product: `Produto ${i}`, quantity: 1, expirationDays: 7 },
    originDomain: 'loja.example.com',
  });
  const headers = {
    Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 201) resolve();
        else reject(new Error(`create: HTTP ${response.statusCode}`));
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

const started = Date.now();
const all = [];
for (let i = 0; i < Number(count); i++) {
  const wait = started + i * 1000 / Number(perSecond) - Date.now();
  if (wait > 0) await new Promise((resolve) => { setTimeout(resolve, wait); });
  all.push(create(i));
}
await Promise.all(all);
agent.destroy();
