// A shop in one file: sells one product in the sandbox, and prints when the webhook says that it is paid.
//   PIXLEDGER_URL             base URL, such as http://127.0.0.1:8080
//   PIXLEDGER_KEY             a test key
//   PIXLEDGER_WEBHOOK_SECRET  the secret of a channel whose URL is this shop's
//   SHOP_IS_A_TRIAL           yes: delivers sandbox payments; otherwise only real ones
//   PORT                      where the shop listens for webhooks; default 3000
import { createServer } from 'node:http';
import { PixledgerClient, WebhookVerificationError, verifyWebhook } from '@pixledger/sdk';

const { PIXLEDGER_URL, PIXLEDGER_KEY, PIXLEDGER_WEBHOOK_SECRET, SHOP_IS_A_TRIAL, PORT = '3000' } = process.env;
const client = new PixledgerClient({ apiKey: PIXLEDGER_KEY, baseUrl: PIXLEDGER_URL });
const handled = new Set(); // in a real shop a unique column in its database

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

const shop = createServer(async (request, response) => {
  try {
    const webhook = verifyWebhook(await bodyOf(request), request.headers, PIXLEDGER_WEBHOOK_SECRET);
    response.end(); // at once; the work comes afterwards
    if (handled.has(webhook.data.eventId)) return;
    handled.add(webhook.data.eventId);
    if (webhook.type === 'transaction')
      console.log(`${webhook.event}: ${webhook.data.product} for ${webhook.data.customerName}`);
    if (webhook.event !== 'transaction.paid') return;
    // Anyone with a test key can pay in the sandbox, without money.
    const isOurs = webhook.data.isSandbox === (SHOP_IS_A_TRIAL === 'yes');
    console.log(`${isOurs ? 'deliver' : 'not paid here'}: ${webhook.data.product}`);
    shop.close();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.writeHead(401).end();
  }
});

shop.listen(Number(PORT), '127.0.0.1', async () => {
  const charge = await client.transactions.create({
    customer: { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com', phone: '11987654321' },
    payment: { amountCents: 1990, product: 'Camiseta' },
    originDomain: 'loja.example.com',
  });
  console.log(`pay this: ${charge.pixCode}`);
  await client.sandbox.pay(charge.id); // what the customer's bank would do
});
