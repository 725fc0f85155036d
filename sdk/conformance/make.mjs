// Makes vectors.json: node make.mjs
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import checkpoints from './source/checkpoints.mjs';
import client from './source/client.mjs';
import events from './source/events.mjs';
import feed from './source/feed.mjs';
import json from './source/json.mjs';
import receipts from './source/receipts.mjs';
import returns from './source/returns.mjs';
import secrets from './source/secrets.mjs';
import webhooks from './source/webhooks.mjs';

const vectors = [webhooks, json, returns, receipts, events, checkpoints, client, feed, secrets].flat();
const names = vectors.map(({ name }) => name);
if (new Set(names).size !== names.length) throw new Error('two vectors have one name');
export const text = `[\n${vectors.map((vector) => JSON.stringify(vector)).join(',\n')}\n]\n`;

const file = fileURLToPath(new URL('vectors.json', import.meta.url));
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(file, text);
