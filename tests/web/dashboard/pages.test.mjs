// Pages of payments and of the account, for everybody.
import assert from "node:assert/strict";
import { test } from "node:test";
import { overflows, readQr, violations } from "../browser/browser.mjs";
import { eventually } from "../site.mjs";
import { Desk } from "./desk.mjs";
import { OperationsApi } from "./operations_api.mjs";

test("dialogs have no violation, and give the focus back", async (t) => {
  const desk = await Desk.start(t);
  const { transactions, customers } = desk.api.worlds.live;
  const paid = transactions.find(({ status }) => status === "paid").id;
  for (const [path, button] of [[`/cobrancas/${paid}`, "Devolver"], [`/cobrancas/${transactions[0].id}`, "Confirmar pagamento"], [`/cobrancas/${transactions[0].id}`, "Cancelar cobrança"],
    [`/clientes/${customers[0].id}`, "Bloquear"], ["/bloqueios", "Adicionar bloqueio"], ["/seguranca", "Adicionar chave de acesso"], ["/seguranca", "Gerar novos códigos"]]) {
    const page = await desk.open(path, { width: 320 });
    const opener = page.locator("main").getByRole("button", { name: button, exact: true });
    await opener.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await violations(page), [], `${path} ${button} ${colorScheme}`);
    }
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await desk.hasFocus(opener, `${path} ${button}`);
    await page.context().close();
  }
});

test("the sandbox says so in words and by its frame on every page, and live does not", async (t) => {
  const desk = await Desk.start(t);
  for (const path of ["/", "/cobrancas", "/clientes", "/bloqueios", "/seguranca", "/nowhere"]) {
    const page = await desk.open(path, { environment: "sandbox" });
    assert.equal(await page.getByText("nenhum dinheiro é movimentado aqui").isVisible(), true);
    assert.equal(await page.locator(".frame.sandbox").count(), 1);
    await page.getByRole("button", { name: "Produção" }).click();
    await page.getByText("nenhum dinheiro é movimentado aqui").waitFor({ state: "detached" });
    assert.equal(await page.locator(".frame.sandbox").count(), 0);
    await page.context().close();
  }
});

test("plots have a table with the same figures", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/");
  await page.locator("figure summary").first().click();
  const rows = page.locator("figure").first().locator("tbody tr");
  assert.equal(await rows.count(), await page.locator("figure").first().locator("svg rect").count());
  assert.match(await rows.first().innerText(), /R\$\s*[\d.]+,\d\d/);
});

test("a word as long as can be widens no page", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const { transactions, customers } = desk.api.worlds.live;
  const word = (length) => "abcdefghijklmnop".repeat(16).slice(0, length);
  for (const [index, each] of transactions.slice(0, 6).entries()) Object.assign(each, { product: word(index % 2 ? 255 : 45), externalId: word(64) });
  for (const each of customers) Object.assign(each, { name: word(255), email: `${word(64)}@${word(60)}.example.com` });
  Object.assign(desk.api.channels[0], { name: word(60), url: `https://${word(60)}.example.com/${word(200)}` });
  const page = await desk.open("/");
  for (const path of ["/", "/cobrancas", "/cobrancas/nova", `/cobrancas/${transactions[0].id}`, "/clientes", `/clientes/${customers[0].id}`, "/busca?q=abc", "/webhooks", `/webhooks/${desk.api.channels[0].id}`]) {
    await desk.goTo(page, path);
    for (const width of [320, 700, 1152, 1280, 1366, 1920]) {
      await page.setViewportSize({ width, height: 900 });
      // What fits itself does so once it has heard of the other width.
      await eventually(async () => !(await overflows(page)) && (await desk.stickingOut(page)).length === 0);
    }
  }
});

test("names are text, whatever they look like", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open(`/clientes/${desk.api.worlds.live.customers[5].id}`);
  assert.equal(await page.locator("h1").innerText(), "Fábio <b>Rocha</b>");
  assert.equal(await page.locator("h1 b").count(), 0);
  // And cannot pass for another by turning their letters.
  const customer = desk.api.worlds.live.customers[0];
  customer.name = "\u202eanA";
  await page.goto(`${desk.api.url}/clientes/${customer.id}`);
  await page.getByRole("heading", { name: "\\u202eanA", level: 1 }).waitFor();
  assert.equal(await page.title(), "\\u202eanA · pixledger");
  await page.goto(`${desk.api.url}/clientes`);
  await page.getByRole("cell", { name: "\\u202eanA" }).waitFor();
  assert.equal((await page.content()).includes("\u202e"), false);
});

test("the code on a charge's page is read by a scanner, in both themes", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.live.transactions[0];
  for (const colorScheme of ["light", "dark"]) {
    const page = await desk.open(`/cobrancas/${charge.id}`, { colorScheme });
    assert.equal(await readQr(page), charge.pixCode);
    await page.context().close();
  }
});

test("a list is worked through by keyboard alone", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Pular para o conteúdo");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Cobranças", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/cobrancas");
  await page.waitForFunction(() => document.activeElement?.tagName === "H1");
  await page.getByRole("link", { name: "Próxima" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/cobrancas?page=2");
  await page.getByText(/página 2 de/).first().waitFor();
});
