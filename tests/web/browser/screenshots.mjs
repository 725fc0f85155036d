// Usage: PIXLEDGER_BIN_DIR=build/release/bin scripts/with-node node tests/web/browser/screenshots.mjs [FOLDER]
// Every state of payers' pages as Debian's chromium shows it, in light and dark, Portuguese and English, on a phone and on a
// wide screen: PNG files in FOLDER (build/screenshots), and index.html beside them, which shows all. For people to look at.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import png from "pngjs";
import { Site } from "../site.mjs";
import { launch, open } from "./browser.mjs";

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, "../../../build/screenshots"));
mkdirSync(folder, { recursive: true });
const atEnd = [];
const run = { after: (end) => atEnd.push(end) };
const site = await Site.start(run);
const browser = await launch(run);

const returnUrl = "https://loja.example/obrigado";
const picture = new png.PNG({ width: 96, height: 32 });
for (let at = 0; at < picture.data.length; ++at) picture.data[at] = [122, 31, 92, (at / 4) % 96 < 64 ? 255 : 96][at % 4];
const logo = site.api.setLogo(png.PNG.sync.write(picture));
const live = { environment: "live" };
const store = { name: "Padaria São João", color: "#7a1f5c", supportContact: "ajuda@padaria.example", payerProofs: true };
const lastQuarter = (token) => {
  const { charge } = site.api.sessions.get(token);
  charge.createdAt = new Date(Date.now() - 25 * 60_000).toISOString();
  charge.expiresAt = new Date(Date.now() + 5 * 60_000).toISOString();
};
// What is shown: of which state, with what of the session, at which address, after what.
const shown = {
  form: { state: "form", more: live },
  "form-wrong": { state: "form", more: live, act: async (page) => {
    await page.evaluate(() => { document.querySelector("form").noValidate = true; });
    await page.locator("#name").fill("Ana Lima");
    await page.locator("#document").fill("529");
    await page.locator("form button").click();
    await page.locator('[role=alert]').waitFor();
  } },
  "form-blocked": { state: "form", more: live, act: async (page) => {
    for (const [field, text] of Object.entries({ name: "Ana Lima", document: "111.444.777-35", email: "ana@example.com", phone: "11987654321" }))
      await page.locator(`#${field}`).fill(text);
    await page.locator("form button").click();
    await page.locator('[role=alert]').waitFor();
  } },
  waiting: { state: "waiting", more: live },
  "waiting-sandbox": { state: "waiting", more: { store: { ...store, logo } } },
  "waiting-last-quarter": { state: "waiting", more: live, before: lastQuarter },
  "waiting-already-paid": { state: "waiting", more: live, act: (page) => page.locator('a[href*="paid=1"]').click() },
  "waiting-code-to-come": { state: "waiting", more: live, before: (token) => { site.api.sessions.get(token).charge.pixCode = null; } },
  "waiting-embedded": { state: "waiting", more: live, what: "/embed" },
  processing: { state: "processing", more: live },
  paid: { state: "paid", more: { ...live, returnUrl } },
  "paid-no-return": { state: "paid", more: live },
  receipt: { state: "paid", more: live, what: "/receipt" },
  "receipt-sandbox": { state: "partially_refunded", what: "/receipt" },
  review: { state: "review", more: live },
  expired: { state: "expired", more: { ...live, cancelUrl: returnUrl } },
  "expired-for-good": { state: "expired", more: { ...live, canRenew: false } },
  cancelled: { state: "cancelled", more: { ...live, cancelUrl: returnUrl } },
  failed: { state: "failed", more: live },
  refunded: { state: "refunded", more: live },
  partially_refunded: { state: "partially_refunded", more: live },
  gone: {},
};
const screens = { phone: { width: 390, height: 844 }, wide: { width: 1200, height: 900 } };

async function show(name, { state, more = {}, what = "", before, act }, screen, colorScheme, locale) {
  const token = state ? site.api.add(state, { locale, ...more, store: more.store ?? store }) : "nothing";
  before?.(token);
  const page = await open(browser, site.page(token, `${what}?lang=${locale}`), { viewport: screens[screen], colorScheme, locale });
  await act?.(page);
  await page.waitForTimeout(100);
  const file = `${name}-${screen}-${colorScheme}-${locale}.png`;
  await page.screenshot({ path: join(folder, file), fullPage: true });
  await page.context().close();
  return file;
}

const sections = [];
for (const [name, each] of Object.entries(shown)) {
  const files = [];
  for (const screen of Object.keys(screens))
    for (const colorScheme of ["light", "dark"])
      for (const locale of ["pt-BR", "en"]) files.push(await show(name, each, screen, colorScheme, locale));
  sections.push(`<h2>${name}</h2><div>${files.map((file) => `<img src="${file}" alt="${file}">`).join("")}</div>`);
}
writeFileSync(join(folder, "index.html"), `<!doctype html><html lang="en"><meta charset="utf-8"><title>Payers' pages</title>
<style>div{display:flex;gap:8px;align-items:start;overflow-x:auto}img{max-height:48rem;border:1px solid #888}</style>${sections.join("\n")}`);
console.log(join(folder, "index.html"));
for (const end of atEnd.reverse()) await end();
await browser.close();
