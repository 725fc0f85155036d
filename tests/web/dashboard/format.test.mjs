// What people type and what addresses hold, as the dashboard reads it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import vm from "node:vm";
import { documentOf } from "./api_types.mjs";
import { folder } from "./bundle.mjs";

// The module's exports, where there is neither page nor storage.
function moduleOf(text) {
  const code = execFileSync("esbuild", ["--bundle", "--format=cjs", "--loader=ts"], { cwd: folder, input: text, encoding: "utf8" });
  const module = { exports: {} };
  vm.runInNewContext(code, { module, exports: module.exports, navigator: { languages: ["pt-BR"] }, document: { documentElement: {} }, Intl, Date, crypto, URLSearchParams });
  return module.exports;
}

test("an amount is read by its writer's language, and an ambiguous one is invalid", () => {
  const { parseMoney, language } = moduleOf('export * from "./app/format"; export { language } from "./app/i18n";');
  const cents = { "49,90": 4990, "49.90": 4990, "1.234,50": 123_450, "1,234.50": 123_450, "1234.5": 123_450, "R$ 10": 1000, "0,05": 5, "0.05": 5, "1.234.567,8": 123_456_780, "10,": null,
    "": null, ",50": null, "0,500": null, "0.005": null, "00.500": null, "1.23,45": null, "1.234,567": null, "1,234.567": null, "12.34.56": null, "99999999999999999": null, "-5": null, abc: null };
  const own = { "pt-BR": { "5.555": 555_500, "1.000": 100_000, "5,555": null, "1,000": null, "1,234,567": null, "0.500": null },
    en: { "5,555": 555_500, "1,000": 100_000, "5.555": null, "1.000": null, "1.234.567": null, "0,500": null } };
  for (const [name, more] of Object.entries(own)) {
    language.set(name);
    for (const [text, expected] of Object.entries({ ...cents, ...more })) assert.equal(parseMoney(text), expected, `${name}: ${text}`);
  }
});

test("an amount that is written is read as the same", () => {
  const { moneyText, parseMoney, language } = moduleOf('export * from "./app/format"; export { language } from "./app/i18n";');
  for (const name of ["pt-BR", "en"]) {
    language.set(name);
    for (const cents of [1, 10, 99, 100, 12_345, 100_000, 99_999_999_999]) assert.equal(parseMoney(moneyText(cents)), cents, name);
  }
});

test("days and times that are none read as they are", () => {
  const { formatDay, formatTime, endOfDay } = moduleOf('export * from "./app/format";');
  for (const text of ["x", "2026-99-99", ""]) {
    assert.equal(formatDay(text), text);
    assert.equal(formatTime(text, "full"), text);
    assert.equal(endOfDay(text), null);
  }
});

test("the axis of a time has lines that are round in the unit they are told in", () => {
  const { ticksOfSeconds, formatSeconds } = moduleOf('export * from "./app/ticks"; export { formatSeconds } from "./app/format";');
  const minutes = (...each) => each.map((one) => one * 60);
  const hours = (...each) => minutes(...each.map((one) => one * 60));
  const expected = [[0, [0, 1]], [3, [0, 1, 2, 3]], [40, [0, 10, 20, 30, 40]], [50, [0, 15, 30, 45, 60]], [70, minutes(0, 1, 2)], [500, minutes(0, 5, 10)],
    [3000, minutes(0, 15, 30, 45, 60)], [4000, hours(0, 1, 2)], [20_000, hours(0, 2, 4, 6)], [80_000, hours(0, 6, 12, 18, 24)], [100_000, hours(0, 24, 48)], [700_000, hours(0, 120, 240)]];
  for (const [most, ticks] of expected) assert.deepEqual([...ticksOfSeconds(most)], ticks, String(most));
  for (let most = 1; most < 40_000_000; most = Math.ceil(most * 1.03)) {
    const ticks = ticksOfSeconds(most);
    assert.ok(ticks.length >= 2 && ticks.length <= 5 && ticks.at(-1) >= most && ticks.at(-2) < most, String(most));
    for (const tick of ticks) assert.match(formatSeconds(tick), /^\d[\d.]*\D*$/, String(most));
  }
});

test("hidden characters of texts are shown as escapes, and those that emoji and writing systems need stay", () => {
  const { shown } = moduleOf('export * from "./app/hidden";');
  for (const [text, expected] of [["Maria\u202e 99", "Maria\\u202e 99"], ["\ufeffA\u{e0041}", "\\ufeffA\\U000e0041"], ["a\u200db", "a\\u200db"], ["1\ufe0f", "1\\ufe0f"],
    ["\u0301Maria", "\\u0301Maria"], ["a\ue000", "a\\ue000"], ["a\u{13430}", "a\\U00013430"], ["a" + "\u0301".repeat(9), "a" + "\u0301".repeat(8) + "\\u0301"]])
    assert.equal(shown(text), expected);
  for (const text of ["João d'Ávila", "\u2764\ufe0f\u200d\u{1f525}", "\u{1f469}\u{1f3fd}\u200d\u{1f680}", "1\ufe0f\u20e3", "\u0915\u094d\u200d\u0937", "\u0645\u06cc\u200c\u062e", "葛\u{e0100}城", "Cafe\u0301", "a" + "\u0301".repeat(8), "Café\u00a0Preto"])
    assert.equal(shown(text), text);
});

test("every doubt about a statement has Portuguese words", () => {
  const { doubtInPortuguese } = moduleOf('export * from "./app/reasons";');
  const texts = ["statement_csv", "statement_entry", "statement_ofx", "table_sizes"].map((name) => readFileSync(join(folder, "../..", `stores/accounting/${name}.cpp`), "utf8")).join("\n");
  const doubts = [...texts.matchAll(/\bwarn\([^";]*"([^"]+)"/g)].map(([, doubt]) => `the statement's line 7: ${doubt}`);
  assert.ok(doubts.length > 5);
  assert.deepEqual(doubts.filter((doubt) => doubtInPortuguese(doubt) === null), []);
  const ignored = "the statement's line 7: its money came in, and it is ignored by its words, as are lines 8, 9: 3 credits of R$ 1.234,56 in all";
  assert.equal(doubtInPortuguese(ignored), "Ficaram de fora pelo texto 3 créditos, no total de R$ 1.234,56, a partir da linha 7. Confira se algum é um Pix da loja.");
});

test("missing pages of a statement are shown in Portuguese with their window and number", () => {
  const { inPortuguese, doubtInPortuguese } = moduleOf('export * from "./app/reasons";');
  const window = "of the window 01/03/2026 00:00 to 31/03/2026 23:59";
  assert.equal(inPortuguese(`the statement has 2 of 3 pages ${window} (paginaAtual 0 or 3 is missing): write all of them into one file, one after the other`),
    "Faltam páginas da consulta de 01/03/2026 00:00 a 31/03/2026 23:59: vieram 2 de 3, e falta a paginaAtual 0 ou 3. Ponha todas no mesmo arquivo.");
  assert.equal(doubtInPortuguese(`the statement has pages ${window} that may not be all of them: none has paginaAtual 1`),
    "Talvez faltem páginas da consulta de 01/03/2026 00:00 a 31/03/2026 23:59: nenhuma tem paginaAtual 1.");
});

test("every reason that the API gives for a field has Portuguese words", () => {
  const { inPortuguese } = moduleOf('export * from "./app/reasons";');
  const root = join(folder, "../..");
  const files = ["http/api", "http/services", "domain/values"].flatMap((name) => readdirSync(join(root, name), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(cpp|h)$/.test(entry.name)).map((entry) => join(entry.parentPath, entry.name));
  const texts = files.map((file) => readFileSync(file, "utf8").replace(/\/\/.*/g, "").replace(/"\s*\n\s*"/g, "")).join("\n");
  // Their beginnings, where the code puts them together.
  const reasons = new Set([...texts.matchAll(/"((?:must|is|does not fit|names an|can name) [^"\n]+)"/g)].map(([, reason]) => reason.replace(/ from $/, " from 1 to 2").replace(/ at most $/, " at most 5")));
  assert.ok(reasons.size > 50);
  assert.deepEqual([...reasons].filter((reason) => inPortuguese(reason) === null), []);
  assert.equal(inPortuguese("must be 1 to 255 characters without control or invisible ones, at least one of them visible"), "Use de 1 a 255 caracteres, sem caracteres de controle ou invisíveis.");
  assert.equal(inPortuguese("must be owner, operator or viewer"), "Use um destes: owner, operator ou viewer.");
});

test("every code of the API's document has words, but for what no page can meet", () => {
  const { messages } = moduleOf('export { messages } from "./messages/messages";');
  const codes = new Set(JSON.stringify(documentOf()).match(/ERR_[A-Z]+_\d{3}/g));
  const without = [...codes].filter((code) => !messages[`error_${code}`]).sort();
  assert.deepEqual(without, ["ERR_HTTP_405", "ERR_HTTP_415", "ERR_HTTP_431", "ERR_HTTP_503"]);
});

test("a day of the store begins at its first moment, where the clocks skip midnight, too", () => {
  const { momentOf, endOfDay, session } = moduleOf('export * from "./app/format"; export { session } from "./app/session";');
  const inZone = (timezone) => session.set({ ...session.get(), store: { timezone } });
  inZone("America/Sao_Paulo");
  assert.equal(momentOf("2018-11-04"), "2018-11-04T03:00:00.000Z");
  assert.equal(endOfDay("2018-11-03"), "2018-11-04T02:59:59.999Z");
  assert.equal(endOfDay("2018-11-04"), "2018-11-05T01:59:59.999Z");
  assert.equal(momentOf("2019-02-17"), "2019-02-17T03:00:00.000Z");
  assert.equal(momentOf("2026-11-01T12:30"), "2026-11-01T15:30:00.000Z");
  inZone("America/Havana");
  assert.equal(momentOf("2026-11-01"), "2026-11-01T04:00:00.000Z");
  inZone("UTC");
  assert.equal(momentOf("2026-11-01"), "2026-11-01T00:00:00.000Z");
});

test("a refund takes of a charge what is left of the payments that are not older than 90 days", () => {
  const { refundable, isRefundWindowOver } = moduleOf('export * from "./pages/payments/refundable";');
  const now = Date.parse("2026-11-21T15:00:00.000Z");
  const daysAgo = (days, ms = 0) => new Date(now - days * 86_400_000 - ms).toISOString();
  assert.deepEqual([isRefundWindowOver(daysAgo(90), now), isRefundWindowOver(daysAgo(90, 1), now)], [false, true]);
  const charge = { transactionCode: "E1", paidAt: daysAgo(91), paidAmountCents: 1500, refundedAmountCents: 0, refunds: [], refundsMoveMoney: true };
  const later = { endToEndId: "E2", amountCents: 1000, paidAt: daysAgo(5) };
  const refund = (changes) => ({ amountCents: 300, status: "done", endToEndId: "E2", ...changes });
  const cases = [
    [{ paidAt: daysAgo(90) }, 1500],
    [{}, 0],
    [{ refundsMoveMoney: false }, 0],
    [{ addedPayments: [later] }, 1000],
    [{ addedPayments: [later], refundsMoveMoney: false }, 1500],
    [{ addedPayments: [later], refundedAmountCents: 300, refunds: [refund()] }, 700],
    [{ addedPayments: [later], refunds: [refund({ status: "pending" })] }, 700],
    [{ addedPayments: [later], refunds: [refund({ status: "failed" })] }, 1000],
    // Of the first payment.
    [{ addedPayments: [later], refundedAmountCents: 300, refunds: [refund({ endToEndId: undefined })] }, 1000],
    [{ paidAt: null, paidAmountCents: null }, 0],
  ];
  for (const [changes, cents] of cases) assert.equal(refundable({ ...charge, ...changes }, now), cents, JSON.stringify(changes));
});
