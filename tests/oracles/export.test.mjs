// What `pixledger export` and the API's exports write, read back by an independent CSV parser and, of workbooks, by
// a ZIP and an XML parser. Environment:
//   PIXLEDGER_BIN_DIR  where pixledger and pixledger-server are (required)
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { Merchant } from './api/merchant.mjs';

const merchant = await Merchant.open();
after(() => merchant.close());

// Texts that a spreadsheet would calculate, and texts that are hard to quote.
const products = [
  '=1+1',
  '+55',
  '-5',
  '@SUM(A1)',
  '=HYPERLINK("mailto:a@example.com","x")',
  '"quoted"',
  'a,b;c',
  "it's",
  'São João',
  ' =1',
];

const exported = (...options) => merchant.service.print('export', ...options);
const startsFormula = (text) => /^ *[=+\-@\t\r\n]/.test(text);

test('a spreadsheet finds every product as it was, and nothing to calculate', async () => {
  for (const product of products) {
    const payment = { amountCents: 1990, product };
    await merchant.createCharge({ payment, externalId: product });
  }
  const rows = parse(await exported('--format', 'csv'), { columns: true });
  assert.deepEqual(
    rows.map((row) => row.product),
    products.map((product) => (startsFormula(product) ? `'${product}` : product)),
  );
  for (const cell of rows.flatMap((row) => Object.values(row))) assert.ok(!startsFormula(cell), cell);

  const objects = (await exported('--format', 'jsonl')).trimEnd().split('\n').map(JSON.parse);
  assert.deepEqual(
    objects.map((one) => one.product),
    products,
  );
  for (const [i, object] of objects.entries()) {
    assert.deepEqual(Object.keys(object), Object.keys(rows[i]));
    assert.equal(String(object.amountCents), rows[i].amountCents);
    assert.equal(object.transactionId, rows[i].transactionId);
  }
});

test('payments and refunds are tables too', async () => {
  const id = await merchant.createPaidCharge();
  await merchant.expect(200, 'refundTransaction', { id, body: { amountCents: 90, reason: '=1+1' } });
  const payments = parse(await exported('--format', 'csv', '--what', 'payments'), { columns: true });
  assert.deepEqual(
    payments.map((row) => [row.transactionId, row.outcome]),
    [[id, 'applied']],
  );
  const refunds = parse(await exported('--format', 'csv', '--what', 'refunds'), { columns: true });
  assert.deepEqual(
    refunds.map((row) => [row.transactionId, row.amountCents, row.reason, row.origin]),
    [[id, '90', "'=1+1", 'merchant']],
  );
  const transaction = await merchant.expect(200, 'getTransaction', { id });
  assert.deepEqual(
    refunds.map((row) => row.refundId),
    transaction.refunds.map((refund) => refund.id),
  );
});

const reader = fileURLToPath(new URL('read_workbook.py', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'workbooks-'));
after(() => rmSync(directory, { recursive: true }));

// Of a workbook's only sheet: its name, headings and rows of [kind, value] by heading.
async function readWorkbook(bytes) {
  const file = join(directory, 'table.xlsx');
  writeFileSync(file, bytes);
  const { stdout } = await promisify(execFile)('python3', [reader, file], { maxBuffer: 1 << 28 });
  const [[name, [head, ...rows]], ...others] = Object.entries(JSON.parse(stdout));
  assert.deepEqual(others, []);
  const headings = head.map(([kind, text]) => (assert.equal(kind, 'text'), text));
  const named = (row) => Object.fromEntries(headings.map((heading, i) => [heading, row[i] ?? ['nothing', null]]));
  return { name, headings, rows: rows.map(named) };
}

const workbook = async (...options) => readWorkbook(await merchant.service.printBytes('export', '--format', 'xlsx', ...options));

const { projectId: project } = merchant.project;
const localTime = (iso) => {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo', dateStyle: 'short', timeStyle: 'medium' });
  return parts.format(new Date(iso)).replace(' ', 'T') + iso.slice(19, 23);
};

test('a workbook has amounts as numbers, times as dates of the store, and everything else as text', async () => {
  const metadata = { nota: '=1+1', _x0041_: '\ufffd' };
  const payment = { amountCents: 123_457, product: '=1+1 _x0041_\ufffd', quantity: 2 };
  const id = await merchant.createPaidCharge({ payment, externalId: '00012', metadata });
  const objects = (await exported('--format', 'jsonl')).trimEnd().split('\n').map(JSON.parse);
  const { name, headings, rows } = await workbook('--project', project);
  assert.equal(name, 'Cobranças');
  assert.equal(rows.length, objects.length);
  assert.ok(rows.every((row) => Object.values(row).every(([kind]) => kind !== 'formula')));
  const row = rows.find((each) => each['Cobrança (ID)'][1] === id);
  const object = objects.find((each) => each.transactionId === id);
  assert.deepEqual(row['Valor (R$)'], ['number', 1234.57]);
  assert.deepEqual(row['Pago (R$)'], ['number', 1234.57]);
  assert.deepEqual(row.Quantidade, ['number', 2]);
  assert.deepEqual(row.Situação, ['text', 'paga']);
  assert.deepEqual(row.Referência, ['text', '00012']);
  assert.deepEqual(row['CPF/CNPJ'], ['text', object.document]);
  assert.deepEqual(row.Telefone, ['text', object.phone]);
  assert.deepEqual(row.Produto, ['text', '=1+1 _x0041_\ufffd']);
  assert.deepEqual(JSON.parse(row.Metadados[1]), { nota: '=1+1', _x0041_: '\ufffd' });
  assert.deepEqual(row['Devolvida em'], ['nothing', null]);
  const { createdAt, paidAt } = await merchant.expect(200, 'getTransaction', { id });
  assert.deepEqual(row.Criação, ['date', localTime(createdAt)]);
  assert.deepEqual(row.Pagamento, ['date', localTime(paidAt)]);
  assert.equal(new Set(headings).size, headings.length);
  const english = await workbook('--language', 'en');
  assert.deepEqual([english.name, english.headings[0], english.headings.length], ['Charges', 'Charge (ID)', headings.length]);
});

test('every table of the API is a workbook, too, of the environment that is asked for', async () => {
  await merchant.createPaidCharge();
  for (const what of ['charges', 'payments', 'refunds', 'deliveries']) {
    const lines = await merchant.call('exportTable', { id: what, query: { format: 'jsonl', environment: 'sandbox' } });
    const count = lines.body.split('\n').length - 1;
    const answer = await merchant.call('exportTable', { id: what, query: { format: 'xlsx', environment: 'sandbox', language: 'en' } });
    assert.equal(answer.headers['content-type'], 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet');
    assert.equal(answer.headers['content-disposition'], `attachment; filename="${what}.xlsx"`);
    assert.equal((await readWorkbook(answer.bytes)).rows.length, count, what);
  }
});

test('a table for Brazilian spreadsheets has semicolons, decimal commas, and digits that stay as they are', async () => {
  const payment = { amountCents: 5, product: 'a;b "c"' };
  const id = await merchant.createCharge({ payment, externalId: '00013' });
  const text = await exported('--format', 'csv-br', '--project', project);
  assert.ok(text.startsWith('\ufeff"Cobrança (ID)";') || text.startsWith('\ufeffCobrança (ID);'), text.slice(0, 40));
  assert.ok(text.endsWith('\r\n') && !/[^\r]\n/.test(text));
  const rows = parse(text, { columns: true, delimiter: ';', bom: true });
  const row = rows.find((each) => each['Cobrança (ID)'] === id);
  const object = (await exported('--format', 'jsonl')).trimEnd().split('\n').map(JSON.parse).find((each) => each.transactionId === id);
  assert.equal(row['Valor (R$)'], '0,05');
  assert.equal(row.Referência, "'00013");
  assert.equal(row.Produto, 'a;b "c"');
  assert.match(row['CPF/CNPJ'], /^\d{3}\.\d{3}\.\d{3}-\d{2}$/);
  assert.equal(row['CPF/CNPJ'].replace(/\D/g, ''), object.document);
  const { createdAt } = await merchant.expect(200, 'getTransaction', { id });
  const [day, time] = localTime(createdAt).slice(0, 19).split('T');
  assert.equal(row.Criação, `${day.split('-').reverse().join('/')} ${time}`);
});

test('a statement says the same in JSON and as a workbook, and sums to the cent', async () => {
  await merchant.createPaidCharge();
  const month = localTime(new Date().toISOString()).slice(0, 7);
  const asked = ['report', '--project', project, '--environment', 'sandbox', '--statement', month];
  const { rows, totals, asOf } = JSON.parse(await merchant.service.print(...asked));
  const inTheEnd = ({ openingCents, inCents, feeCents, refundedCents, returnedCents }) =>
    openingCents + inCents - feeCents - refundedCents - returnedCents;
  for (const each of [...rows, ...totals]) assert.equal(each.closingCents, inTheEnd(each));
  assert.ok(totals.some((each) => each.inCents > 0));
  const bytes = await merchant.service.printBytes(...asked, '--as-of', String(asOf.position), '--format', 'xlsx', '--language', 'en');
  const book = await readWorkbook(bytes);
  assert.equal(book.name, 'Statement');
  assert.deepEqual(
    book.rows.map((row) => [row.Day[1].slice(0, 10), row['Connection (ID)'][1], Math.round(row['In (R$)'][1] * 100), Math.round(row['Closing (R$)'][1] * 100)]),
    rows.map((row) => [row.day, row.connectionId, row.inCents, row.closingCents]),
  );
});

test('a workbook that does not fit on the disk is a fault that names the directory, not half a table', () => {
  const command = merchant.service.commandLine('export', '--format', 'xlsx');
  const limited = `trap '' XFSZ; ulimit -f 1; ${command} | cat >/dev/null; exit \${PIPESTATUS[0]}`;
  const done = spawnSync('bash', ['-c', limited], { encoding: 'utf8', env: { ...process.env, TMPDIR: directory } });
  assert.equal(done.status, 3, done.stderr);
  assert.ok(done.stderr.includes(`workbook could not be written to a temporary file below ${directory}`), done.stderr);
});
