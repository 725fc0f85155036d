// How webhooks are signed, written after docs/reference, not after an SDK.
import { createHmac } from 'node:crypto';

export const t = 1_795_000_000; // seconds
export const signedAt = '2026-11-18T11:06:40.000Z';
export const secret = `whsec_${Buffer.alloc(32, 'pixledger').toString('base64')}`;
export const otherSecret = `whsec_${Buffer.alloc(32, 'another').toString('base64')}`;

const mac = (key, parts, encoding) => {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest(encoding);
};
export const v1 = (body, key = secret) => mac(key, [body], 'hex');
export const v2 = (body, key = secret, time = t) => `t=${time},v1=${mac(key, [`${time}.`, body], 'hex')}`;
const standardKeyOf = (key) => (typeof key === 'string' ? Buffer.from(key.replace(/^whsec_/, ''), 'base64') : key);
export const standard = (body, key = secret) => `v1,${mac(standardKeyOf(key), [`cdelivery1.${t}.`, body], 'base64')}`;
export const standardHeaders = (body, signature = standard(body)) => ({
  'webhook-id': 'cdelivery1',
  'webhook-timestamp': String(t),
  'webhook-signature': signature,
});
