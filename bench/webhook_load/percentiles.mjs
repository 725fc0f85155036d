// Prints percentiles of a file with one number of milliseconds a line.
// Usage: node percentiles.mjs NAME FILE
import { readFileSync } from 'node:fs';

const [name, file] = process.argv.slice(2);
const delays = readFileSync(file, 'utf8').trim().split('\n').map(Number).sort((a, b) => a - b);
const at = (percent) => delays[Math.min(delays.length - 1, Math.floor(delays.length * percent / 100))];
console.log(`${name}_webhooks=${delays.length}`);
for (const percent of [50, 95, 99]) console.log(`${name}_p${percent}_ms=${at(percent)}`);
console.log(`${name}_max_ms=${delays.at(-1)}`);
