// Compiled, never run: what callers write in TypeScript must compile, and what is wrong must not.
import { createPublicKey } from 'node:crypto';
import { createServer } from 'node:http';
import { ApiError, PixledgerClient, WebhookVerificationError, verifyCheckpoint, verifyReceipt, verifyWebhook } from '../../sdk/node/index.mjs';

const client = new PixledgerClient({ apiKey: 'sk_test_x', baseUrl: 'https://pay.example.com' });

export async function sell(): Promise<string> {
  const charge = await client.transactions.create(
    {
      customer: { name: 'Ana', document: '52998224725', email: 'ana@example.com', phone: '11987654321' },
      payment: { amountCents: 1990, product: 'Camiseta' },
      originDomain: 'loja.example.com',
    },
    { idempotencyKey: 'order-1', timeoutMs: 1000 },
  );
  // @ts-expect-error: money is integer cents, called so
  await client.transactions.create({ payment: { amount: 19.9 } });
  // @ts-expect-error: failed is no filter
  await client.transactions.list({ status: 'failed' });
  // @ts-expect-error: new channels are v2
  await client.channels.create({ url: 'https://shop.example.com/', webhookApiVersion: 'v1' });
  for await (const item of client.transactions.listAll({ status: 'paid', dateFrom: new Date() })) {
    const email: string | null = item.customerEmail;
    if (email === null) continue;
  }
  const { secret } = await client.channels.create({ url: 'https://shop.example.com/hooks' });
  const { queued, hastened }: { queued: number; hastened: number } = await client.channels.recover('c1', { since: new Date() });
  const page = await client.unversioned.transactions.list({ page: 2 });
  for await (const event of client.events.follow({ wait: 30 })) if (event.transactionId === charge.id) break;
  await client.transactions.getAsOf(charge.id, { asOf: new Date() });
  const host: string | undefined = page.data[0]?.domain?.host;
  return charge.pixCode + secret + String(queued + hastened) + String(host);
}

export function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return `${error.status} ${error.code} ${error.details[0]?.field ?? ''}`;
  if (error instanceof WebhookVerificationError) return error.code;
  return 'unknown';
}

export const server = createServer((request, response) => {
  const webhook = verifyWebhook(Buffer.alloc(0), request.headers, ['old', 'new'], { toleranceSeconds: 60 });
  verifyWebhook('', new Headers(), 'secret', { versions: ['v2'] });
  if (webhook.type === 'webhook') {
    response.end(webhook.data.channelId);
  } else if (webhook.type === 'store') {
    response.end(`${webhook.data.changed.join()} ${webhook.data.before.pixKey} ${webhook.data.after.pixKey}`);
  } else if (webhook.apiVersion === 'v2') {
    const cents: number = webhook.data.amountCents;
    // @ts-expect-error: reais are those of v1
    const reais: number = webhook.data.amount;
    const { eventId, environment, paidAmountCents, metadata, settlement } = webhook.data;
    response.end([cents + reais, eventId, environment, paidAmountCents, metadata.order, settlement].join());
  } else {
    response.end(String(webhook.data.amount));
  }
  if (webhook.event === 'payment.settled') response.end(webhook.data.payment?.flag);
  if (webhook.event === 'transaction.paid') response.end(webhook.delivery.id ?? webhook.data.transactionId);
  // @ts-expect-error: a parsed body has lost the bytes
  verifyWebhook({ event: 'transaction.paid' }, request.headers, 'secret');
});

export async function prove(transactionId: string): Promise<string> {
  const receipt = await client.transactions.receipt(transactionId);
  const verified = verifyReceipt(receipt, 'name+0a0b0c0d+key', { transactionId });
  verifyReceipt(Buffer.alloc(0), createPublicKey('pem'));
  // @ts-expect-error: only a receipt that is verified has a status
  const early: string = verified.status;
  // @ts-expect-error: a number is no receipt
  verifyReceipt(7, new Uint8Array(32));
  if (!verified.ok) return verified.reason + early;
  for await (const event of client.events.follow({ after: 'now', types: ['transaction.paid'] })) return event.occurredAt;
  return verified.events[0]?.recordedAt ?? verified.status;
}

export async function catchUp(after: string, key: string): Promise<number> {
  const onCutOff = (resumeAfter: string): void => console.log(resumeAfter);
  for await (const event of client.events.follow({ after }, { stopWhenIdle: true, onCutOff })) console.log(event.id);
  // @ts-expect-error: a page has no end to stop at
  await client.events.list({ after }, { stopWhenIdle: true });
  const verified = verifyCheckpoint((await client.ledger.checkpoint()).checkpoint, key);
  return verified.ok ? (verified.stream?.events ?? verified.size) : 0;
}
const { size }: { size: number } = await client.ledger.checkpoint();
const proof: string[] = (await client.ledger.consistency({ from: 1, to: size })).proof;
const pixKey: string | null = (await client.store.get()).pixKey;
console.log(proof, pixKey);
