// The dashboard in the browsers that are no Chromium: every page, and one act of each kind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { overflows, violations } from "../browser/other_checks.mjs";
import { firefox, keys, webKit } from "../browser/webdriver.mjs";
import { eventually } from "../site.mjs";
import { pagesOfOperations, pagesOfPayments } from "./addresses.mjs";
import { Contract } from "./contract.mjs";
import { password } from "./fake_api.mjs";
import { OperationsApi } from "./operations_api.mjs";
import { eventsOf } from "./sample_data.mjs";

const isShown = (browser) => eventually(() => browser.run("return document.querySelector('h1') !== null && document.querySelector('.loading') === null"), 20_000);

async function start(t) {
  const api = await new OperationsApi().start();
  api.contract = new Contract();
  t.after(() => assert.deepEqual(api.contract.wrong, []));
  t.after(() => api.stop());
  return api;
}

const says = (browser, text) => eventually(() => browser.run("return document.querySelector('main')?.innerText.includes(arguments[0])", text), 20_000);

async function signIn(browser, api) {
  await browser.page(`${api.url}/entrar`);
  await browser.run("localStorage.setItem('pixledger.language', 'pt-BR')");
  await browser.reload();
  await isShown(browser);
  for (const [name, text] of Object.entries({ email: "dona@loja.example.com", password, totp: "123456" })) await browser.type(`input[name=${name}]`, text);
  await browser.press(keys.enter);
  await says(browser, "Visão geral");
}

for (const [name, open] of [["Firefox", firefox], ["WebKitGTK", webKit]]) {
  test(`${name}: who has signed in sees every page, without a violation`, async (t) => {
    const api = await start(t);
    const browser = await open(t);
    await browser.size(500, 900);
    await signIn(browser, api);
    const all = [...pagesOfPayments(api), ...pagesOfOperations(api)].filter(([, options]) => options?.signedIn !== false);
    for (const [path] of all) {
      await browser.page(api.url + path);
      await isShown(browser).catch((error) => assert.fail(`${path}: ${error}`));
      assert.deepEqual(await violations(browser), [], path);
      assert.equal(await overflows(browser), false, path);
    }
  });

  test(`${name}: a payment link is made by keyboard, and events come as they happen`, async (t) => {
    const api = await start(t);
    const browser = await open(t);
    await browser.size(1200, 950);
    await signIn(browser, api);
    await browser.page(`${api.url}/cobrancas/nova`);
    await eventually(() => browser.has("input[name=product]"), 20_000);
    for (const [field, text] of Object.entries({ product: "Vaso grande", amount: "249,90", originDomain: "loja.example.com" })) await browser.type(`input[name=${field}]`, text);
    await browser.press(keys.enter);
    await says(browser, "Link pronto");
    assert.equal(api.asked.findLast(({ method, path }) => method === "POST" && path === "/api/v1/checkout/sessions").body.payment.amountCents, 24_990);
    await browser.page(`${api.url}/eventos`);
    await says(browser, "Ao vivo");
    const [charge] = api.worlds.live.transactions;
    const [created] = eventsOf(charge);
    api.tell({ ...created, id: "1".padStart(32, "0") });
    await eventually(() => browser.has(`main a[href="/cobrancas/${charge.id}"]`), 20_000);
  });
}
