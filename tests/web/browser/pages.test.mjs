// Payers' pages in a real browser.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { PayerApi, pixCode } from "../payer_api.mjs";
import { eventually, Site } from "../site.mjs";
import { assertQuiet, launch, open, overflows, readQr, violations } from "./browser.mjs";

const host = (site) => new URL(site.url).host;
const state = (page) => page.locator("main").getAttribute("data-state");
const becomes = (page, wanted, timeout = 10_000) => page.waitForSelector(`main[data-state="${wanted}"]`, { timeout });

test("every state in both themes and languages has no violation, and does not scroll sideways at 320 px", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const colors = [null, "#ffee00", "#123456"];
  let turn = 0;
  const page = await open(browser, "about:blank", { viewport: { width: 320, height: 640 } });
  for (const locale of ["pt-BR", "en"]) {
    for (const name of ["form", "waiting", "processing", "paid", "review", "expired", "cancelled", "failed", "refunded", "partially_refunded", "receipt", "gone"]) {
      const receipt = name === "receipt";
      const token = name === "gone" ? "nothing" : site.api.add(receipt ? "paid" : name, { locale: turn % 4 ? locale : null,
        returnUrl: name === "paid" ? "https://loja.example/ok" : null, store: { color: colors[turn++ % 3], payerProofs: true } });
      await page.goto(site.page(token, `${receipt ? "/receipt" : ""}?lang=${locale}`));
      if (name === "paid") await page.getByRole("button", { name: /Ficar|Stay/ }).click();
      // Its own answer's status is on the console.
      if (name === "gone") page.heard.pop();
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await violations(page), [], `${name} ${colorScheme} ${locale}`);
        assert.equal(await overflows(page), false, `${name} ${colorScheme} ${locale}`);
      }
      assertQuiet({ ...page, heard: page.heard, asked: page.asked.filter((url) => url !== "about:blank") }, host(site));
    }
  }
});

async function fill(page, document) {
  await page.getByLabel("Nome").fill("Ana Lima");
  await page.getByLabel("CPF ou CNPJ").fill(document);
  await page.getByLabel("E-mail").fill("ana@example.com");
  await page.getByLabel("Telefone").fill("(11) 98765-4321");
}

test("the form says what is wrong without a violation, and leads to the code", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const page = await open(browser, site.page(site.api.add("form")));
  await fill(page, "529");
  await page.getByRole("button", { name: "Continuar para o Pix" }).click();
  await page.getByText("Confira o CPF ou CNPJ").waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByLabel("CPF ou CNPJ").fill("529.982.247-25");
  await page.getByRole("button", { name: "Continuar para o Pix" }).click();
  await becomes(page, "waiting");
});

test("who loads the answer to a form anew, or comes back to it, is given the page", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const page = await open(browser, site.page(site.api.add("form")));
  const refuse = async () => {
    await fill(page, "529");
    await page.getByRole("button", { name: "Continuar para o Pix" }).click();
    await page.getByText("Confira o CPF ou CNPJ").waitFor();
  };
  await refuse();
  await page.reload();
  assert.equal(await page.getByText("Confira o CPF ou CNPJ").count(), 0);
  await refuse();
  await fill(page, "529.982.247-25");
  await page.getByRole("button", { name: "Continuar para o Pix" }).click();
  await becomes(page, "waiting");
  await page.goBack();
  await becomes(page, "waiting");
});

test("a form that was answered gives way to the page once another has sent it, with links that lead on", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("form");
  const page = await open(browser, site.page(token));
  await fill(page, "529");
  await page.getByRole("button", { name: "Continuar para o Pix" }).click();
  await page.getByText("Confira o CPF ou CNPJ").waitFor();
  site.api.change(token, "paid");
  await becomes(page, "paid");
  assert.equal(page.url(), site.page(token));
  const receipt = await page.getByRole("link", { name: "Comprovante" }).evaluate((link) => link.href);
  assert.equal(new URL(receipt).pathname, `${new URL(site.page(token)).pathname}/receipt`);
});

test("what is sent while the API is away is sent again by a button, without being written again", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const page = await open(browser, site.page(site.api.add("form")));
  await fill(page, "529.982.247-25");
  site.api.unable = 500;
  await page.getByRole("button", { name: "Continuar para o Pix" }).click();
  // Of a session that could not be read the browser's language is all that is known.
  await page.getByText("We do not know whether your details arrived").waitFor();
  assert.deepEqual(await violations(page), []);
  site.api.unable = 0;
  await page.getByRole("button", { name: "Try again" }).click();
  await becomes(page, "waiting");
});

test("a blocked payer is sent to the shop, and to nothing else", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const page = await open(browser, site.page(site.api.add("form")));
  for (const [label, text] of [["Nome", "Ana Lima"], ["CPF ou CNPJ", "111.444.777-35"], ["E-mail", "ana@example.com"], ["Telefone", "11987654321"]])
    await page.getByLabel(label).fill(text);
  await page.getByRole("button", { name: "Continuar para o Pix" }).click();
  await page.getByRole("heading", { name: "Fale com a loja" }).waitFor();
  assert.equal(await page.getByRole("button").count(), 0);
  assert.deepEqual(await violations(page), []);
});

test("the code is copied within three tabs, and read from the screen in light and dark", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(browser, site.page(site.api.add("waiting")), { colorScheme, permissions: ["clipboard-read", "clipboard-write"] });
    assert.equal(await readQr(page), pixCode);
    let tabs = 0;
    do {
      await page.keyboard.press("Tab");
      assert.ok(++tabs <= 3);
    } while (await page.evaluate(() => document.activeElement.textContent) !== "Copiar código Pix");
    await page.keyboard.press("Enter");
    await page.getByText("Código copiado").first().waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), pixCode);
    assertQuiet(page, host(site));
  }
});

test("on a phone the code is one line, and on a desktop the QR code comes first", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const page = await open(browser, site.page(site.api.add()));
  const boxOf = (part) => page.locator(part).boundingBox();
  assert.ok((await boxOf("#code")).height < 60);
  assert.ok((await boxOf("#code")).y < (await boxOf(".qr")).y);
  await page.setViewportSize({ width: 1280, height: 900 });
  const [qr, code] = [await boxOf(".qr"), await boxOf("#code")];
  assert.ok(qr.x + qr.width <= code.x);
  assert.ok(code.height > 60);
});

test("a receipt is shared where the browser can, and the order's number is on it", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("paid", { payment: { amountCents: 1990, description: "Camiseta", externalId: "pedido-7" } });
  const page = await open(browser, "about:blank");
  for (const can of [false, true]) {
    await page.addInitScript((can) => {
      Object.defineProperty(navigator, "share", { configurable: true, value: can ? (what) => { globalThis.shared = what; return Promise.resolve(); } : undefined });
    }, can);
    await page.goto(site.page(token, "/receipt"));
    assert.equal(await page.getByRole("button", { name: "Compartilhar" }).count(), Number(can));
  }
  await page.getByText("pedido-7").waitFor();
  await page.getByRole("button", { name: "Compartilhar" }).click();
  assert.equal((await page.evaluate(() => globalThis.shared)).url, page.url());
});

test("a payment shows at once, the code is gone, and the shop comes after five seconds", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const shop = createServer((request, answer) => answer.end(`<title>Shop</title>${request.url}`));
  await new Promise((resolve) => shop.listen(0, "127.0.0.1", resolve));
  t.after(() => shop.close());
  const returnUrl = `http://127.0.0.1:${shop.address().port}/ok?session=c1&status=PAID&sig=abc`;
  const token = site.api.add("waiting");
  const page = await open(browser, site.page(token));
  await eventually(() => site.metric("pixledger_web_streams"));
  site.api.change(token, "paid", { returnUrl });
  await becomes(page, "paid", 2_000);
  assert.equal(await page.getByText(pixCode).count(), 0);
  assert.match(await page.title(), /^Pago/);
  assert.equal(await page.locator("#said").textContent(), "Pago");
  assertQuiet(page, host(site));
  await page.waitForURL(returnUrl, { timeout: 10_000 });
  await page.goBack();
  await becomes(page, "paid");
  await page.waitForTimeout(1_500);
  assert.equal(await page.locator("#returning").isVisible(), false);
});

test("who wants to stay stays", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const page = await open(browser, site.page(site.api.add("paid", { returnUrl: `${site.url}/healthz` })));
  await page.getByRole("button", { name: "Ficar nesta página" }).click();
  assert.equal(await page.getByRole("link", { name: "Voltar para a loja" }).isVisible(), true);
  await page.waitForTimeout(6_000);
  assert.ok(page.url().includes("/pay/"));
});

test("a page that was away, whatever its stream claims, is right within a second of its return", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("waiting");
  const page = await open(browser, site.page(token));
  await eventually(() => site.metric("pixledger_web_streams"));
  await page.context().setOffline(true);
  // Reported to no page, as on a broken connection.
  site.api.streams.clear();
  site.api.change(token, "paid");
  assert.equal(await state(page), "waiting");
  await page.context().setOffline(false);
  await becomes(page, "paid", 1_000);
});

test("a page in the background looks when it is seen again", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("waiting");
  const page = await open(browser, site.page(token));
  await eventually(() => site.metric("pixledger_web_streams"));
  site.api.streams.clear();
  site.api.change(token, "paid");
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await becomes(page, "paid", 1_000);
});

test("a look that fails is repeated, though the stream is open", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("waiting");
  const page = await open(browser, site.page(token));
  await eventually(() => site.metric("pixledger_web_streams"));
  site.api.unable = 500;
  const asked = site.api.asked.length;
  site.api.change(token, "paid");
  await eventually(() => site.api.asked.length > asked);
  assert.equal(await state(page), "waiting");
  site.api.unable = 0;
  await becomes(page, "paid", 10_000);
});

test("a code that is still to come is looked for, though nobody tells of it", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("waiting");
  const session = site.api.sessions.get(token);
  session.charge.pixCode = null;
  const page = await open(browser, site.page(token));
  await page.getByText("O código está sendo gerado").waitFor();
  session.charge.pixCode = pixCode;
  session.version += 1;
  await page.getByRole("button", { name: "Copiar código Pix" }).waitFor({ timeout: 10_000 });
});

test("what a dead connection was asked is not waited for at the return to the page", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("waiting");
  const page = await open(browser, site.page(token));
  await eventually(() => site.metric("pixledger_web_streams"));
  let held = 0;
  await page.route(site.page(token), () => { held += 1; });
  site.api.change(token, "paid");
  await eventually(() => held === 1);
  await page.unroute(site.page(token));
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await becomes(page, "paid", 1_000);
});

test("the way back is signed anew while the page stays open", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("paid", { returnUrl: "https://loja.example/ok?t=1" });
  const page = await open(browser, site.page(token));
  await page.getByRole("button", { name: "Ficar nesta página" }).click();
  site.api.sessions.get(token).returnUrl = "https://loja.example/ok?t=2";
  await page.evaluate(() => {
    document.querySelector("main").dataset.now -= 31 * 60_000;
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await page.locator('a[href="https://loja.example/ok?t=2"]').waitFor();
  assert.equal(await page.locator("#returning").isVisible(), false);
  assert.equal(await page.locator("#said").textContent(), "");
});

test("after the death of either side an open page is right within ten seconds", async (t) => {
  const api = await new PayerApi().start();
  const site = await Site.start(t, [], { api });
  t.after(() => api.stop());
  const browser = await launch(t);
  const [one, other] = [api.add("waiting"), api.add("waiting")];
  const pages = [await open(browser, site.page(one)), await open(browser, site.page(other))];
  await eventually(async () => (await site.metric("pixledger_web_streams")) === 2);
  const { port } = api;
  await api.stop();
  api.change(one, "paid");
  await api.start(port);
  await becomes(pages[0], "paid", 10_000);
  site.kill();
  await site.ended;
  api.change(other, "paid");
  await site.run(`127.0.0.1:${site.port}`, []);
  await becomes(pages[1], "paid", 10_000);
});

test("a page asks every five seconds where the stream does not open", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("waiting");
  const streams = Array.from({ length: 8 }, () => site.follow(token));
  await eventually(() => streams.every(({ events }) => events.length === 1));
  const page = await open(browser, site.page(token));
  site.api.change(token, "paid");
  await becomes(page, "paid", 10_000);
});

test("without JavaScript a code is paid, expires, is made anew, and has its receipt", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("waiting");
  const page = await open(browser, site.page(token), { javaScriptEnabled: false });
  assert.equal(await readQr(page), pixCode);
  assert.equal(await page.getByRole("button", { name: "Copiar código Pix" }).isVisible(), false);
  site.api.change(token, "expired");
  await becomes(page, "expired", 12_000);
  assert.equal(await page.getByText(pixCode).count(), 0);
  await page.getByRole("button", { name: "Gerar novo código" }).click();
  await becomes(page, "waiting");
  assert.equal(await page.getByText(pixCode).count(), 1);
  site.api.change(token, "paid");
  await becomes(page, "paid", 12_000);
  await page.getByRole("link", { name: "Comprovante" }).click();
  await page.getByText("E18236120202603011200s1a2b3c4d5e").waitFor();
  // In print, too, it is distinguished from money.
  await page.emulateMedia({ media: "print" });
  assert.ok(await page.locator("header .test").isVisible());
  const other = await open(browser, site.page(site.api.add("waiting")), { javaScriptEnabled: false });
  await other.getByRole("button", { name: "Simular pagamento" }).click();
  await becomes(other, "paid");
});

test("the sandbox says so, pays by a button, and the time is told in the last quarter alone", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("waiting");
  const page = await open(browser, site.page(token));
  assert.equal(await page.locator("#left").isVisible(), false);
  const { charge } = site.api.sessions.get(token);
  charge.createdAt = new Date(Date.now() - 25 * 60_000).toISOString();
  charge.expiresAt = new Date(Date.now() + 5 * 60_000).toISOString();
  await page.reload();
  await page.locator("#left").waitFor({ state: "visible" });
  assert.match(await page.locator("#left").textContent(), /O código expira em [45]:\d\d/);
  await page.getByRole("link", { name: "Já paguei" }).click();
  await page.getByText("Ainda não vimos o pagamento").waitFor();
  assert.deepEqual(await violations(page), []);
  await page.getByText("Ambiente de testes").waitFor();
  await page.getByRole("button", { name: "Simular pagamento" }).click();
  await becomes(page, "paid");
});

test("one request renders the page within 20 KB, and the code can be copied soon on a slow line", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("waiting");
  const answer = await site.get(`/pay/${token}`);
  assert.ok(gzipSync(answer.bytes).length <= 20 * 1024);
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 });
  const began = Date.now();
  await page.goto(site.page(token), { waitUntil: "commit" });
  await page.getByRole("button", { name: "Copiar código Pix" }).waitFor();
  t.diagnostic(`copy button after ${Date.now() - began} ms`);
});
