// Usage: node pictures.mjs ROOT SHIM FONTS
//
// Makes docs/pictures/dashboard.webp and payer.webp: what the programs show of an invented shop. SHIM is the compiled
// pictures_shim.c, by which their time and randomness are the same in each run; FONTS is the folder of the typeface. A
// picture is written only if more than 1 % of its pixels have changed, since browsers draw letters a little differently.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Shop } from './pictures_shop.mjs';

const [root, shim, fonts] = process.argv.slice(2);
const { chromium } = createRequire(join(root, 'tests/web/browser/package.json'))('playwright-core');
const bin = process.env.PIXLEDGER_BIN_DIR ?? join(root, 'build/release/bin');
const maxBytes = 150 * 1024;

const folder = mkdtempSync(join(tmpdir(), 'pixledger-pictures-'));
const file = (name) => join(folder, name);
const atEnd = [];

// The clock of all programs. It stands still between two calls, and never goes back.
const clockFile = openSync(file('clock'), 'w+');
let now = 0;
function setClock(ms) {
  now = Math.max(now + 1, ms);
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(now));
  writeSync(clockFile, bytes, 0, 8, 0);
}

let seed = 0;
const environment = () => ({
  PATH: process.env.PATH, PIXLEDGER_CONFIG: '', LD_PRELOAD: shim, PICTURES_CLOCK: file('clock'),
  PICTURES_SEED: String(++seed),
});
const data = ['--data', file('data'), '--map-size', '1GiB'];
const pixledger = (...args) =>
  JSON.parse(execFileSync(join(bin, 'pixledger'), [...args, ...data, '--json'], { env: environment(), encoding: 'utf8' }));

async function until(what, check) {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    const result = await check();
    if (result) return result;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited for a minute: ${what}`);
}

// `pixledger up` with some of its programs. Returns what stops it.
async function up(programs, ...args) {
  const portFiles = ['port', 'web-port', 'dashboard-port'].map(file);
  for (const each of portFiles) rmSync(each, { force: true });
  let log = '';
  const [port, webPort, dashboardPort] = portFiles;
  const child = spawn(join(bin, 'pixledger'), ['up', '--dev', '--only', programs, ...data, '--rate-live', '0',
    '--listen', '127.0.0.1:0', '--port-file', port, '--web-port-file', webPort, '--dashboard-port-file', dashboardPort,
    ...args], { env: environment(), stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.on('data', (part) => { log += part; });
  let isRunning = true;
  const ended = new Promise((resolve) => child.on('close', resolve)).then(() => { isRunning = false; });
  const stop = async () => {
    if (isRunning) child.kill('SIGTERM');
    await ended;
  };
  atEnd.push(stop);
  const expected = programs.includes('web') && !programs.includes('webhooks') ? portFiles : [port];
  await until('the programs start', () => {
    if (!isRunning) throw new Error(`pixledger up has ended:\n${log}`);
    return expected.every(existsSync);
  });
  return stop;
}
const portOf = (name) => readFileSync(file(name), 'utf8').trim();

let key;
async function api(method, path, body) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const url = `http://127.0.0.1:${portOf('port')}${path}`;
  const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text).data;
}

// A merchant's receiver, which accepts every webhook.
async function receiver() {
  const counts = { received: 0 };
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      counts.received += 1;
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd.push(() => server.close());
  return { counts, url: `http://127.0.0.1:${server.address().port}/pix` };
}

// The ledger of the shop's last two months. Returns its project and the page of its last payer.
async function makeLedger(shop, logo) {
  setClock(shop.opened);
  const { projectId, liveKey } = pixledger('project', 'create', ...shop.project);
  key = liveKey;
  const stop = await up('server,webhooks', '--pay-url', 'https://pay.example.com', '--web-key-file', file('web-key'));
  setClock(shop.opened);
  await api('PATCH', '/api/v1/store', { ...shop.store, logo });
  const charges = new Map();
  let hook;
  let page;
  for (const { at, what, charge, ...more } of shop.happenings()) {
    setClock(at);
    if (what === 'create') {
      charges.set(charge, (await api('POST', '/api/v1/transactions', more.body)).id);
    } else if (what === 'pay') {
      pixledger('charge', 'confirm', '--id', charges.get(charge), '--end-to-end-id', more.endToEndId,
        '--amount-cents', more.amountCents);
    } else if (what === 'refund') {
      await api('POST', `/api/v1/transactions/${charges.get(charge)}/refund`, more.body);
    } else if (what === 'webhook') {
      hook = await receiver();
      pixledger('channel', 'add', '--project', projectId, '--name', 'Loja', '--url', hook.url, '--allow-http',
        '--allow-target', '127.0.0.0/8');
    } else {
      page = (await api('POST', '/api/v1/checkout/sessions', more.body)).url;
    }
  }
  await until('webhooks arrive', () => hook.counts.received > 0);
  setClock(shop.now);
  await stop();
  return { projectId, path: new URL(page).pathname };
}

async function newPage(browser, options) {
  const context = await browser.newContext({ locale: 'pt-BR', timezoneId: 'America/Sao_Paulo', colorScheme: 'light',
    reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  await page.clock.setFixedTime(now);
  return page;
}

const quiet = { animations: 'disabled', caret: 'hide' };

// The overview, as an owner sees it who has set a passkey by the link of an invitation.
async function dashboard(browser, projectId, email) {
  const address = `http://localhost:${portOf('dashboard-port')}`;
  const { url } = pixledger('user', 'invite', '--project', projectId, '--email', email, '--role', 'owner',
    '--dashboard-url', address);
  // Four fifths of the size that people see it in: figures, a plot and charges are in one picture.
  const page = await newPage(browser, { viewport: { width: 1600, height: 1000 }, deviceScaleFactor: 1.6 });
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', { options: { protocol: 'ctap2', transport: 'internal',
    hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true } });
  await page.goto(url);
  const press = (name) => page.getByRole('button', { name, exact: true }).click();
  await press('Aceitar convite');
  await press('Criar chave de acesso');
  await page.getByRole('heading', { name: 'Visão geral' }).waitFor();
  // Anew: without what was said about the passkey.
  await page.goto(address);
  await page.getByRole('heading', { name: 'Visão geral' }).waitFor();
  const charge = page.locator('a[href^="/cobrancas/c"]').first();
  await charge.waitFor();
  await page.waitForFunction(() => document.querySelector('svg.chart') && !document.querySelector('.loading'));
  await page.evaluate(() => document.fonts.ready);
  if ((await charge.boundingBox()).y > 950) console.error('dashboard.webp: the newest charges are below its edge');
  return page.screenshot(quiet);
}

async function payer(browser, path) {
  const page = await newPage(browser, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true });
  await page.goto(`http://127.0.0.1:${portOf('web-port')}${path}`);
  await page.locator('svg.qr').waitFor();
  await page.evaluate(() => document.fonts.ready);
  return page.screenshot({ ...quiet, fullPage: true });
}

// In a page: a PNG as WebP of a width, without loss if that is small enough, and the share of pixels that differ from
// `before`.
async function encode({ png, width, before, maxBytes }) {
  const pixels = async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [width, Math.round((image.naturalHeight * width) / image.naturalWidth)];
    const drawing = canvas.getContext('2d');
    drawing.imageSmoothingQuality = 'high';
    drawing.drawImage(image, 0, 0, canvas.width, canvas.height);
    const { data: bytes } = drawing.getImageData(0, 0, canvas.width, canvas.height);
    return { canvas, size: `${canvas.width}x${canvas.height}`, values: new Uint32Array(bytes.buffer) };
  };
  const { canvas } = await pixels(`data:image/png;base64,${png}`);
  for (const quality of [1, 0.95, 0.9, 0.85, 0.8]) {
    const url = canvas.toDataURL('image/webp', quality);
    const webp = url.slice(url.indexOf(',') + 1);
    if (webp.length * 0.75 > maxBytes) continue;
    const made = await pixels(url);
    const old = before && (await pixels(`data:image/webp;base64,${before}`));
    if (old?.size !== made.size) return { webp, quality, changed: 1 };
    const changed = made.values.filter((value, at) => value !== old.values[at]).length;
    return { webp, quality, changed: changed / made.values.length };
  }
  throw new Error(`more than ${maxBytes} bytes`);
}

async function save(browser, name, width, png) {
  const path = join(root, 'docs/pictures', name);
  const page = await browser.newPage();
  const before = existsSync(path) ? readFileSync(path, 'base64') : null;
  const given = { png: png.toString('base64'), width, before, maxBytes };
  const { webp, quality, changed } = await page.evaluate(encode, given);
  await page.close();
  if (changed > 0.01) writeFileSync(path, Buffer.from(webp, 'base64'));
  const what = changed > 0.01 ? `written with quality ${quality}` : 'kept';
  console.log(`${name}: ${what}, ${(changed * 100).toFixed(2)} % of the pixels differ`);
}

// The shop's sign, drawn by the browser.
async function draw(browser, svg) {
  const page = await browser.newPage({ viewport: { width: 96, height: 96 } });
  await page.setContent(`<style>body{margin:0}svg{display:block}</style>${svg}`);
  const png = await page.screenshot({ omitBackground: true });
  await page.close();
  return `data:image/png;base64,${png.toString('base64')}`;
}

try {
  writeFileSync(file('fonts.conf'), `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${fonts}</dir><cachedir>${file('font-cache')}</cachedir>
<match target="pattern"><edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match></fontconfig>`);
  const executablePath = process.env.PIXLEDGER_CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-lcd-text', '--force-color-profile=srgb',
      '--font-render-hinting=none'],
    env: { ...process.env, FONTCONFIG_FILE: file('fonts.conf') } });
  atEnd.push(() => browser.close());
  const shop = new Shop();
  const { projectId, path } = await makeLedger(shop, await draw(browser, shop.sign));
  await up('server,web,expiry', '--pay-url', 'https://pay.example.com', '--web-key-file', file('web-key'),
    '--pay-listen', '127.0.0.1:0', '--dashboard-listen', '127.0.0.1:0');
  const waiting = () => api('GET', '/api/v1/transactions?status=waiting_payment&limit=100');
  await until('charges expire', async () => (await waiting()).length === shop.pending);
  await save(browser, 'payer.webp', 780, await payer(browser, path));
  await save(browser, 'dashboard.webp', 1280, await dashboard(browser, projectId, shop.email));
} finally {
  for (const end of atEnd.reverse()) await end();
  closeSync(clockFile);
  rmSync(folder, { recursive: true });
}
