// The same types by way of require().
import sdk = require('../../sdk/node/index.cjs');

const client: sdk.PixledgerClient = new sdk.PixledgerClient({ apiKey: 'x', baseUrl: 'https://pay.example.com' });
export const name: Promise<string> = client.store.get().then((store) => store.name);
export const webhook: sdk.Webhook = sdk.verifyWebhook('', {}, 'secret');
