// The outcome of an action, whichever page is shown when it is answered.
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../site.mjs";
import { Desk } from "./desk.mjs";
import { refuse } from "./fake_api.mjs";
import { eventsOf } from "./sample_data.mjs";

test("an act that is sent again stays in the environment that it was begun in", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.sandbox.transactions.find(({ status }) => status === "waiting_payment");
  let isAway = true;
  desk.api.routes.unshift(["POST", /^\/api\/sandbox\/transactions\/(\w+)\/pay$/, ({ id }) =>
    (isAway ? refuse(503, "ERR_HTTP_503") : { data: { transactionId: id, status: "paid", paidAt: charge.createdAt } })]);
  const page = await desk.open(`/cobrancas/${charge.id}`, { environment: "sandbox" });
  await page.getByRole("button", { name: "Pagar" }).click();
  const sent = () => desk.sent("POST", `/api/sandbox/transactions/${charge.id}/pay`);
  await eventually(() => sent().length >= 1);
  await page.getByRole("button", { name: "Produção", exact: true }).click();
  await page.getByText("Isto é do outro ambiente").waitFor();
  const before = sent().length;
  isAway = false;
  await eventually(() => sent().length > before);
  assert.deepEqual(sent().map(({ headers }) => headers["pixledger-environment"]), sent().map(() => "sandbox"));
});

test("an act that is answered elsewhere leaves what is shown there, and what was typed there, alone", async (t) => {
  const desk = await Desk.start(t);
  const held = [];
  desk.api.routes.unshift(["POST", /^\/api\/v1\/checkout\/sessions$/, ({ response }) => void held.push(response)]);
  const page = await desk.open("/cobrancas/nova", { environment: "sandbox" });
  const product = page.getByLabel("Produto");
  const world = async (name) => {
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByRole("button", { name: "Gerar link de pagamento" }).waitFor();
  };
  await world("Produção");
  await product.fill("Boné");
  await world("Sandbox");
  await product.fill("Camiseta");
  await page.getByLabel("Valor").fill("19,90");
  await page.getByLabel("Domínio da loja").fill("loja.example.com");
  await page.getByRole("button", { name: "Gerar link de pagamento" }).click();
  await eventually(() => held.length === 1);
  await world("Produção");
  held[0].writeHead(201, { "Content-Type": "application/json" }).end(JSON.stringify({ success: true, data: {} }));
  await world("Sandbox");
  await eventually(async () => (await product.inputValue()) === "");
  await world("Produção");
  assert.equal(await product.inputValue(), "Boné");
});

test("what is shown of a moment stays when an act of today is answered", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.live.transactions.find(({ status }) => status === "waiting_payment");
  const held = [];
  desk.api.routes.unshift(["POST", /^\/api\/v1\/transactions\/(\w+)\/cancel$/, ({ response }) => void held.push(response)]);
  const page = await desk.open(`/cobrancas/${charge.id}`);
  await page.getByRole("button", { name: "Cancelar cobrança" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancelar cobrança" }).click();
  await eventually(() => held.length === 1);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByLabel("Dia e hora").fill("2026-11-21T11:00");
  await page.getByRole("button", { name: "Mostrar" }).click();
  await page.getByRole("link", { name: "Voltar para agora" }).waitFor();
  const detail = { ...desk.api.detail(charge), status: "cancelled" };
  const answered = page.waitForResponse(/\/cancel$/).then((response) => response.finished());
  held[0].writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ success: true, data: detail }));
  await answered;
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.locator(".page-title .badge").waitFor();
  assert.equal(await page.locator("main [aria-busy=true]").count(), 0);
});

test("what an act answered is not undone by an answer that was on its way before it", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.live.transactions.find(({ status }) => status === "waiting_payment");
  const page = await desk.open(`/cobrancas/${charge.id}`);
  await eventually(() => desk.api.streams.size === 1);
  const old = JSON.stringify({ success: true, data: desk.api.detail(charge) });
  const held = [];
  desk.api.routes.unshift(["GET", /^\/api\/v1\/transactions\/(\w+)$/, ({ response }) => void held.push(response)]);
  desk.api.tell(eventsOf(charge)[0]);
  await eventually(() => held.length === 1);
  await page.getByRole("button", { name: "Cancelar cobrança" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancelar cobrança" }).click();
  const badge = page.locator(".page-title .badge");
  await badge.getByText("Cancelada").waitFor();
  held[0].writeHead(200, { "Content-Type": "application/json" }).end(old);
  await eventually(() => held.length === 2);
  assert.equal(await badge.innerText(), "Cancelada");
});

test("unexpected money is accepted or given back", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.live.transactions[2];
  const [{ endToEndId }] = charge.unappliedPayments;
  const page = await desk.open(`/cobrancas/${charge.id}`);
  const box = page.getByRole("region", { name: "Pagamentos a conferir" });
  await box.getByText("Pago depois de expirar").waitFor();
  await box.getByRole("button", { name: "Devolver" }).click();
  await page.getByRole("dialog").getByLabel("Motivo").fill("Chegou tarde");
  await page.getByRole("dialog").getByRole("button", { name: "Devolver" }).click();
  await box.waitFor({ state: "detached" });
  assert.deepEqual(desk.sent("POST", `/api/v1/payments/${endToEndId}/return`).map(({ body }) => body), [{ reason: "Chegou tarde" }]);
});

test("a payment that the bank's statement shows is confirmed by hand", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.live.transactions[0];
  const page = await desk.open(`/cobrancas/${charge.id}`);
  await page.getByRole("button", { name: "Confirmar pagamento" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("ID da transação Pix").fill("E123");
  await dialog.getByRole("button", { name: "Confirmar pagamento" }).click();
  await dialog.getByText("São 32 letras e números.").waitFor();
  assert.equal(await dialog.getByLabel("ID da transação Pix").evaluate((field) => field === document.activeElement), true);
  await dialog.getByLabel("ID da transação Pix").fill(`E${"7".repeat(31)}`);
  await dialog.getByLabel("Pago em").fill("2026-11-21T08:15");
  await dialog.getByRole("button", { name: "Confirmar pagamento" }).click();
  await page.getByText("Pagamento confirmado.").waitFor();
  assert.deepEqual(desk.sent("POST", `/api/v1/transactions/${charge.id}/confirm`).at(-1).body,
    { endToEndId: `E${"7".repeat(31)}`, amountCents: charge.amountCents, paidAt: "2026-11-21T11:15:00.000Z" });
});
