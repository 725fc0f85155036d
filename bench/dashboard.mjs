// Usage: dashboard.mjs DATA TEST_KEY TIMES (see dashboard)
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch } from '../tests/web/browser/browser.mjs';
import { addAuthenticator } from '../tests/web/dashboard/authenticator.mjs';
import { codeOf } from '../tests/web/dashboard/totp.mjs';
import { eventually, send } from '../tests/web/site.mjs';

const [data, key, times] = [process.argv[2], process.argv[3], Number(process.argv[4])];
const bin = process.env.PIXLEDGER_BIN_DIR;
const folder = mkdtempSync(join(tmpdir(), 'pixledger-dashboard-'));
const file = (name) => join(folder, name);
const spread = (all) => {
  const sorted = [...all].sort((a, b) => a - b);
  return `median ${sorted[sorted.length >> 1].toFixed(0)} ms, most ${sorted.at(-1).toFixed(0)} ms`;
};

const up = spawn(join(bin, 'pixledger'), ['up', '--dev', '--data', data, '--listen', '127.0.0.1:0', '--port-file', file('port'),
  '--pay-listen', '127.0.0.1:0', '--web-port-file', file('web'), '--dashboard-listen', '127.0.0.1:0',
  '--dashboard-port-file', file('dashboard')], { stdio: 'ignore' });
const ended = new Promise((resolve) => up.on('close', resolve));
const atEnd = [];
try {
  await eventually(() => existsSync(file('dashboard')) && existsSync(file('port')), 600_000);
  const port = readFileSync(file('port'), 'utf8').trim();
  const api = async (method, path, body) => JSON.parse((await send(`http://127.0.0.1:${port}${path}`, { method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) })).text);
  await eventually(async () => (await send(`http://127.0.0.1:${port}/readyz`)).status === 200, 600_000);
  const origin = `http://localhost:${readFileSync(file('dashboard'), 'utf8').trim()}`;
  const { data: store } = await api('GET', '/api/v1/store/');
  const invite = (email) => JSON.parse(execFileSync(join(bin, 'pixledger'), ['user', 'invite', '--data', data, '--project', store.storeId ?? store.id,
    '--email', email, '--role', 'owner', '--reset', '--dashboard-url', origin, '--json'], { encoding: 'utf8' })).url;

  const place = async () => (await api('GET', '/api/v1/events?after=now&limit=1')).meta.next;
  const expiring = async () => {
    const before = await place();
    await new Promise((resolve) => setTimeout(resolve, 500));
    return before !== await place();
  };

  const browser = await launch({ after: (each) => atEnd.push(each) });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: 'pt-BR' });
  await addAuthenticator(page);
  await page.goto(invite('dona@example.com'));
  await page.getByRole('button', { name: 'Aceitar convite' }).click();
  await page.getByRole('button', { name: 'Criar chave de acesso' }).click();
  await page.getByRole('heading', { name: 'Visão geral' }).waitFor();
  await page.getByRole('button', { name: 'Sandbox', exact: true }).click();

  // A ledger that was just filled has old charges, which expire by the thousand in its first minutes.
  const events = async () => {
    await page.goto(`${origin}/eventos`);
    await page.getByText('Ao vivo', { exact: true }).waitFor();
  };
  await events();
  const ages = [];
  for (let i = 0; i < times && await expiring(); ++i)
    ages.push(await page.evaluate(() => Date.now() - Date.parse(document.querySelector('main li time').dateTime)));
  if (ages.length) console.log(`while old charges expire the newest event shown is old: ${spread(ages)}`);

  // Until the API's rows are drawn.
  const shown = async (act) => {
    const answered = page.waitForResponse((response) => response.url().includes('/api/v1/transactions?') && response.url().includes('limit=20') && response.ok());
    const began = performance.now();
    await act();
    const { data: rows, meta } = await (await answered).json();
    const path = rows.length ? `/cobrancas/${rows[0].id}` : null;
    await page.waitForFunction(([path, count]) => document.querySelectorAll('main tbody tr').length === count &&
      (!path || document.querySelector(`main tbody a[href="${path}"]`)), [path, rows.length]);
    return { took: performance.now() - began, total: meta?.total };
  };
  for (const [name, query] of Object.entries({ all: '', 'paid ones of a name': '?status=paid&search=Almeida', 'between two amounts and days': '?amountMin=1000&amountMax=5000&dateFrom=2026-05-01&dateTo=2026-08-31', 'the last page': '?page=LAST' })) {
    const first = await shown(() => page.goto(`${origin}/cobrancas`));
    const path = `/cobrancas${query.replace('LAST', String(Math.ceil((first.total ?? 20) / 20)))}`;
    const opened = [], chosen = [];
    let total;
    for (let i = 0; i < times; ++i) {
      const one = await shown(() => page.goto(origin + path));
      opened.push(one.took);
      total = one.total;
      await page.getByLabel('Buscar', { exact: true }).last().fill(['Ana', 'Lima', 'Silva', 'Bruno'][i % 4]);
      chosen.push((await shown(() => page.getByRole('button', { name: 'Filtrar' }).click())).took);
    }
    console.log(`${name} (${total}): opened ${spread(opened)}; another name asked for there ${spread(chosen)}`);
  }

  await eventually(async () => !await expiring(), 600_000);
  await events();
  const live = [];
  for (let i = 0; i < times; ++i) {
    const began = performance.now();
    const { data: charge } = await api('POST', '/api/v1/transactions', { customer: { name: 'Ana Lima', document: '52998224725', email: 'ana@example.com',
      phone: '11987654321' }, payment: { amountCents: 1990, product: 'Camiseta' }, originDomain: 'loja.example.com' });
    const answered = performance.now();
    await page.locator(`li:has(a[href="/cobrancas/${charge.id}"])`).first().waitFor();
    live.push(performance.now() - answered);
    if (answered - began > 1_000) console.log(`a creation took ${(answered - began).toFixed(0)} ms`);
  }
  console.log(`an event is shown after its creation was answered: ${spread(live)}`);

  // Failures are counted by account and address: few at a time, and of others at each run.
  const [somebody, nobody] = ['rui', 'nobody'].map((name) => `${name}-${Date.now()}@example.com`);
  const tried = { known: [], unknown: [] };
  const url = invite(somebody);
  const rui = await browser.newPage({ locale: 'pt-BR' });
  await rui.goto(url);
  await rui.getByRole('button', { name: 'Aceitar convite' }).click();
  await rui.getByLabel('Nova senha').fill('a long sentence is good');
  await rui.getByRole('button', { name: 'Continuar' }).click();
  await rui.getByLabel('Código de 6 dígitos').fill(codeOf((await rui.locator('.secret code').innerText()).replaceAll(' ', '')));
  await rui.getByRole('button', { name: 'Confirmar' }).click();
  await rui.getByRole('button', { name: 'Já guardei' }).click();
  for (let i = 0; i < 10; ++i) {
    const who = i % 2 ? 'known' : 'unknown';
    const began = performance.now();
    const { status } = await send(`http://127.0.0.1:${port}/api/v1/sign-ins`, { method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: who === 'known' ? somebody : nobody, password: 'a wrong sentence is not', totp: '000000' }) });
    tried[who].push(performance.now() - began);
    if (status !== 401) throw new Error(`a wrong password was answered ${status}`);
  }
  console.log(`a wrong password of somebody: ${spread(tried.known)}; of nobody: ${spread(tried.unknown)}`);
} finally {
  for (const each of atEnd) await each();
  up.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true });
}
