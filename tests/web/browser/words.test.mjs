// What payers read of success follows from success, in whatever way a browser or a line fails.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pixCode } from "../payer_api.mjs";
import { Site } from "../site.mjs";
import { launch, open, overflows, violations } from "./browser.mjs";

const failed = "O navegador não deixou copiar.";
const copied = "Código copiado";

// What a browser may do with the code: what is read then, and what of it is later.
const browsers = {
  "copies a selection where it forbids the clipboard, as in a frame": [() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
    document.execCommand = () => true;
  }, copied],
  "forbids both": [() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
    document.execCommand = () => false;
  }, failed],
  "has no clipboard, as on http, and throws": [() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.execCommand = () => { throw new Error("no"); };
  }, failed],
  "throws where it should promise": [() => {
    navigator.clipboard.writeText = () => { throw new TypeError("no"); };
    document.execCommand = () => false;
  }, failed],
  "never says what became of it": [() => {
    navigator.clipboard.writeText = () => new Promise(() => {});
    document.execCommand = () => false;
  }, failed],
  "asks, and is allowed to in the end": [() => {
    navigator.clipboard.writeText = () => new Promise((resolve) => { globalThis.allow = resolve; });
    document.execCommand = () => false;
  }, failed, copied],
};

test("that the code was copied is said where it was; else it is selected, and said how", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  for (const [name, [script, words, later]] of Object.entries(browsers)) {
    const page = await open(browser, site.page(site.api.add("waiting")));
    await page.evaluate(script);
    await page.getByRole("button", { name: "Copiar código Pix" }).click();
    const success = page.getByRole("button", { name: copied });
    if (words === copied) {
      await success.waitFor();
      assert.equal(await page.getByText(failed).isVisible(), false, name);
    } else {
      await page.getByText(failed).waitFor();
      assert.equal(await success.count(), 0, name);
      assert.equal(await page.locator("#said").textContent(), "", name);
      assert.equal(await page.evaluate(() => document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)), pixCode, name);
      assert.deepEqual(await violations(page), [], name);
      assert.equal(await overflows(page), false, name);
    }
    if (later) {
      await page.evaluate(() => globalThis.allow());
      await success.waitFor();
      assert.equal(await page.getByText(failed).isVisible(), false, name);
    }
    await page.context().close();
  }
});

test("the code is copied on a page without https, where there is no clipboard", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const page = await open(browser, site.page(site.api.add("waiting")));
  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
  await page.getByRole("button", { name: "Copiar código Pix" }).click();
  await page.getByRole("button", { name: copied }).waitFor();
  await page.evaluate(() => {
    const field = document.createElement("textarea");
    field.id = "pasted";
    document.body.append(field);
    field.focus();
  });
  await page.keyboard.press("Control+V");
  assert.equal(await page.locator("#pasted").inputValue(), pixCode);
});

test("who has paid is answered beside the button: not seen, not known, or paid", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("waiting");
  const page = await open(browser, site.page(token));
  const link = page.getByRole("link", { name: "Já paguei" });
  const isInView = (element) => element.evaluate((each) => {
    const { top, bottom } = each.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
  await link.click();
  const answer = page.getByText("Ainda não vimos o pagamento.");
  await answer.waitFor();
  assert.equal(await isInView(answer), true);
  assert.equal(new URL(page.url()).search, "");
  assert.deepEqual(await violations(page), []);
  // The page cannot tell while its server cannot.
  site.api.unable = 503;
  await link.click();
  const unknown = page.getByText("Não conseguimos verificar agora.");
  await unknown.waitFor();
  assert.equal(await isInView(unknown), true);
  assert.equal(await answer.count(), 0);
  site.api.unable = 0;
  const session = site.api.sessions.get(token);
  session.state = "paid";
  session.charge.pixCode = null;
  session.version += 1;
  await link.click();
  await page.waitForSelector('main[data-state="paid"]');
  await page.waitForFunction(() => document.querySelector("h1").getBoundingClientRect().top >= 0);
  assert.equal(await isInView(page.locator("h1")), true);
});

test("without JavaScript the answer is where its page opens", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const page = await open(browser, site.page(site.api.add("waiting")), { javaScriptEnabled: false });
  await page.getByRole("link", { name: "Já paguei" }).click();
  await page.getByText("Ainda não vimos o pagamento.").waitFor();
  const { y, height } = await page.locator("#looked").boundingBox();
  assert.ok(y >= 0 && y + height <= 844);
});

test("a payer who is offline is told, and told when that is over", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const page = await open(browser, site.page(site.api.add("waiting")));
  assert.equal(await page.locator("#line").isVisible(), false);
  await page.context().setOffline(true);
  await page.getByText("Você está sem internet.").waitFor();
  assert.deepEqual(await violations(page), []);
  assert.equal(await overflows(page), false);
  // A payment that is seen meanwhile is not claimed either way.
  await page.getByRole("link", { name: "Já paguei" }).click();
  await page.getByText("Não conseguimos verificar agora.").waitFor();
  await page.context().setOffline(false);
  await page.getByText("A conexão voltou.").waitFor();
  assert.equal(await page.getByText("Você está sem internet.").count(), 0);
});

test("a payer whose page reaches its server no more is told without an event of the browser", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const token = site.api.add("waiting");
  const page = await open(browser, site.page(token));
  await page.waitForFunction(() => document.querySelector("main").dataset.state === "waiting");
  const listen = new URL(site.url).host;
  site.kill();
  await site.ended;
  await page.getByText("Sem contato com a página de pagamento.").waitFor();
  await site.run(listen, []);
  await page.getByText("A conexão voltou.").waitFor();
});

test("what the shop has recorded as refunded is not called sent", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  for (const [state, moved, title, words] of [
    ["refunded", false, "Devolução registrada pela loja", "Quem envia o dinheiro é a loja"],
    ["partially_refunded", false, "Devolução parcial registrada pela loja", "Quem envia o dinheiro é a loja"],
    ["refunded", true, "Devolvido", "O dinheiro volta para a conta"]]) {
    const token = site.api.add(state);
    site.api.sessions.get(token).charge.refundMoved = moved;
    const page = await open(browser, site.page(token));
    await page.getByRole("heading", { name: title }).waitFor();
    await page.getByText(words).waitFor();
    await page.goto(site.page(token, "/receipt"));
    await page.getByText(title, { exact: true }).waitFor();
    assert.deepEqual(await violations(page), []);
  }
});
