// Creates charges and writes their ids, one a line. For a server without lists.
// Usage: node create-ids.mjs BASE_URL API_KEY FILE COUNT
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { customer, PAYERS } from './people.mjs';

const CONNECTIONS = 16;
const [baseUrl, key, file, count] = process.argv.slice(2);
const url = new URL(`${baseUrl.replace(/\/$/, '')}/api/v1/transactions`);
const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });

function create(i) {
  const body = JSON.stringify({
    customer: customer(i % PAYERS),
    payment: { amountCents: 100 + i % 50_000, product: `Produto ${1 + i % 500}`, quantity: 1, expirationDays: 7 },
    originDomain: `loja${1 + i % 20}.example.com`,
    customerIp: `203.0.113.${1 + i % 254}`,
  });
  const headers = {
    Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => { text += part; });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode !== 201) reject(new Error(`create: HTTP ${response.statusCode} ${text}`));
        else resolve(JSON.parse(text).data.id);
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

const ids = [];
let next = 0;
async function work() {
  while (next < Number(count)) ids.push(await create(next++));
}
await Promise.all(Array.from({ length: CONNECTIONS }, work));
agent.destroy();
writeFileSync(file, ids.join('\n') + '\n');
