// Merchants' receivers: HTTPS servers on 127.0.0.1 that answer 200 at once and record how long after its event each
// first attempt arrived. With HANGING the last one never answers, and records nothing.
// Usage: node receiver.mjs CERTIFICATE KEY COUNT PORTS_FILE DELAYS_FILE [HANGING]
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import https from 'node:https';

const [certificate, key, count, portsFile, delaysFile, hanging = '0'] = process.argv.slice(2);
const delays = [];

function receive(hangs) {
  return (request, response) => {
    const arrived = Date.now();
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part) => { body += part; });
    request.on('end', () => {
      if (hangs) return;
      if (request.headers['x-webhook-attempt'] === '1') delays.push(arrived - Date.parse(JSON.parse(body).timestamp));
      response.end('ok');
    });
  };
}

const ports = [];
for (let i = 0; i < Number(count); i++) {
  const hangs = hanging === '1' && i === Number(count) - 1;
  const server = https.createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, receive(hangs));
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  ports.push(server.address().port);
}
writeFileSync(`${portsFile}.new`, `${ports.join('\n')}\n`);
renameSync(`${portsFile}.new`, portsFile);

process.on('SIGTERM', () => {
  writeFileSync(delaysFile, `${delays.join('\n')}\n`);
  process.exit(0);
});
