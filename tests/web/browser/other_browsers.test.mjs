// Payers' pages in the browsers that are no Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pixCode } from "../payer_api.mjs";
import { eventually, Site } from "../site.mjs";
import { overflows, violations } from "./other_checks.mjs";
import { decodeQr } from "./pictures.mjs";
import { firefox, keys, webKit } from "./webdriver.mjs";

for (const [name, open] of [["Firefox", firefox], ["WebKitGTK", webKit]]) {
  test(`${name}: every state has no violation and does not scroll sideways`, async (t) => {
    const site = await Site.start(t);
    const browser = await open(t);
    await browser.size(500, 900);
    for (const state of ["form", "waiting", "processing", "paid", "review", "expired", "cancelled", "failed", "refunded", "partially_refunded"]) {
      await browser.page(site.page(site.api.add(state, { locale: null, canRenew: state === "expired", store: { color: "#ffee00" } })));
      await browser.becomes(state);
      assert.deepEqual(await violations(browser), [], state);
      assert.equal(await overflows(browser), false, state);
    }
  });

  test(`${name}: a form is filled in, its code read from the screen, copied by keys, and paid while the page looks on`, async (t) => {
    const site = await Site.start(t);
    const browser = await open(t);
    await browser.size(1200, 950);
    const token = site.api.add("form");
    await browser.page(site.page(token));
    for (const [field, text] of Object.entries({ name: "Ana Lima", document: "529.982.247-25", email: "ana@example.com", phone: "(11) 98765-4321" }))
      await browser.type(`#${field}`, text);
    await browser.click("form button");
    await browser.becomes("waiting");
    assert.equal(decodeQr(await browser.picture()), pixCode);
    let tabs = 0;
    do {
      await browser.press(keys.tab);
      assert.ok(++tabs <= 3);
    } while (await browser.run("return document.activeElement.dataset.do") !== "copy");
    await browser.press(keys.enter);
    await eventually(async () => (await browser.text("button.first")) === "Código copiado");
    await eventually(() => site.metric("pixledger_web_streams"));
    site.api.change(token, "paid");
    await browser.becomes("paid");
    assert.match(await browser.title(), /^Pago/);
    assert.equal(await browser.has("#code"), false);
  });

  test(`${name}: who comes back by the browser's history sees what is true now`, async (t) => {
    const site = await Site.start(t);
    const browser = await open(t);
    const token = site.api.add("waiting");
    await browser.page(site.page(token));
    await eventually(() => site.metric("pixledger_web_streams"));
    await browser.page(site.page("nothing"));
    site.api.change(token, "paid");
    await browser.back();
    await browser.becomes("paid");
  });

  test(`${name}: a page is right within ten seconds after what serves it was killed`, async (t) => {
    const site = await Site.start(t);
    const browser = await open(t);
    const token = site.api.add("waiting");
    await browser.page(site.page(token));
    await eventually(() => site.metric("pixledger_web_streams"));
    site.kill();
    await site.ended;
    site.api.change(token, "paid");
    await site.run(`127.0.0.1:${site.port}`, []);
    await browser.becomes("paid", 10_000);
  });
}

test("Firefox without JavaScript: a new code, its payment and the receipt", async (t) => {
  const site = await Site.start(t);
  const browser = await firefox(t, { "javascript.enabled": false });
  await browser.size(1200, 950);
  const token = site.api.add("expired");
  await browser.page(site.page(token));
  await browser.click("form button");
  await browser.becomes("waiting");
  assert.equal(decodeQr(await browser.picture()), pixCode);
  site.api.change(token, "paid");
  await browser.becomes("paid", 12_000);
  await browser.click('a[href$="/receipt"]');
  await eventually(async () => (await browser.text("main")).includes("E18236120202603011200s1a2b3c4d5e"));
});
