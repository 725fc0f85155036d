// Payers' pages and the pages of other origins, in a real browser: what a shop may embed, and what no origin may.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { eventually, Site } from "../site.mjs";
import { launch, open } from "./browser.mjs";

test("another origin can neither read, follow, post nor frame", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  const shop = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end('<!doctype html><title>Other</title><link rel="icon" href="data:,">'));
  await new Promise((resolve) => shop.listen(0, "127.0.0.1", resolve));
  t.after(() => shop.close());
  const token = site.api.add("expired", { store: { embedOrigins: ["https://loja.example"] } });
  // Another site, and another origin of the same.
  for (const name of ["localhost", "127.0.0.1"]) {
    const page = await open(browser, `http://${name}:${shop.address().port}`);
    const got = await page.evaluate(async (url) => {
      const read = (options) => fetch(url, options).then((answer) => answer.text()).catch(() => "nothing");
      const follow = new Promise((resolve) => {
        const stream = new EventSource(`${url}/live`);
        stream.addEventListener("state", ({ data }) => resolve(data));
        stream.onerror = () => { stream.close(); resolve("nothing"); };
      });
      const frame = document.body.appendChild(document.createElement("iframe"));
      const framed = new Promise((resolve) => {
        frame.onload = () => { try { resolve(frame.contentDocument?.body.textContent || "nothing"); } catch { resolve("nothing"); } };
      });
      frame.src = `${url}/embed?origin=${location.origin}`;
      const code = await fetch(`${url}/charges`, { method: "POST", body: new URLSearchParams() }).then((answer) => answer.text()).catch(() => "nothing");
      return [await read(), await read({ mode: "no-cors" }), await follow, await framed, code];
    }, site.page(token));
    assert.deepEqual(got, Array(5).fill("nothing"));
    await page.evaluate((url) => {
      const form = document.body.appendChild(document.createElement("form"));
      Object.assign(form, { method: "post", action: `${url}/charges` }).submit();
    }, site.page(token));
    await page.getByText("This request came from another page").waitFor();
    await eventually(() => page.heard.some((text) => text.includes("frame-ancestors")));
  }
  assert.equal(site.api.asked.filter(({ method }) => method === "POST").length, 0);
  assert.equal(site.api.sessions.get(token).state, "expired");
});

test("a shop's button opens a frame on wide screens, which tells that page alone, and goes to the page on phones", async (t) => {
  const site = await Site.start(t);
  const browser = await launch(t);
  let token;
  const shop = createServer((_, answer) => {
    answer.setHeader("Content-Type", "text/html");
    answer.end(`<!doctype html><html lang="pt-BR"><title>Loja</title><link rel="icon" href="data:,"><script>told = []; addEventListener("message", (event) => told.push([event.origin, event.data]));</script>
      <main><script src="${site.url}/pay/button.js" data-url="${site.page(token)}"></script></main>`);
  });
  await new Promise((resolve) => shop.listen(0, "127.0.0.1", resolve));
  t.after(() => shop.close());
  const origin = `http://localhost:${shop.address().port}`;
  token = site.api.add("waiting", { store: { embedOrigins: [origin] }, returnUrl: null });
  const wide = await open(browser, origin, { viewport: { width: 1200, height: 900 } });
  await wide.getByRole("button", { name: "Pagar com Pix" }).click();
  const frame = wide.frameLocator("iframe");
  await frame.getByText("Aguardando pagamento").waitFor();
  await eventually(() => wide.evaluate(() => told.length === 1));
  site.api.change(token, "paid");
  await frame.locator('main[data-state="paid"]').waitFor();
  await eventually(() => wide.evaluate(() => told.length === 2));
  const { id, charge } = site.api.sessions.get(token);
  assert.deepEqual((await wide.evaluate(() => told))[1], [site.url, { type: "pixledger.checkout", session: id, transaction: charge.id, status: "PAID" }]);
  assert.deepEqual(wide.heard, []);
  const other = await open(browser, `http://127.0.0.1:${shop.address().port}`, { viewport: { width: 1200, height: 900 } });
  // Counted outside of the page, which goes.
  let toldOther = 0;
  await other.exposeFunction("noteMessage", () => { toldOther += 1; });
  await other.evaluate(() => addEventListener("message", () => noteMessage()));
  await other.getByRole("button", { name: "Pagar com Pix" }).click();
  await eventually(() => other.heard.some((text) => text.includes("frame-ancestors")));
  await other.waitForURL(site.page(token));
  assert.equal(toldOther, 0);
  const phone = await open(browser, origin);
  await phone.getByRole("button", { name: "Pagar com Pix" }).click();
  await phone.waitForURL(site.page(token));
});
