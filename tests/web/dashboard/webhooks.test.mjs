// The pages of webhooks: what is done on them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../browser/browser.mjs";
import { eventually } from "../site.mjs";
import { Desk } from "./desk.mjs";
import { refuse } from "./fake_api.mjs";
import { OperationsApi } from "./operations_api.mjs";

const start = (t) => Desk.start(t, new OperationsApi());
const button = (page, name) => page.getByRole("button", { name, exact: true });
const dialog = (page) => page.getByRole("dialog");
const closed = (page) => dialog(page).waitFor({ state: "detached" });

test("a webhook is added after confirming again, and its secret is shown once", async (t) => {
  const desk = await start(t);
  desk.api.stale = true;
  const page = await desk.open("/webhooks");
  await button(page, "Adicionar webhook").click();
  const form = dialog(page);
  await page.waitForFunction(() => document.activeElement?.name === "url");
  await form.getByLabel("Endereço").fill("novo.example.com/pix");
  await form.getByLabel("Devolvida em parte").check();
  assert.equal(await form.getByText("No sandbox, ninguém paga de verdade").count(), 0);
  for (const name of ["Produção", "Sandbox"]) await form.getByLabel(name).check();
  await form.getByText("No sandbox, ninguém paga de verdade").waitFor();
  for (const name of ["Produção", "Sandbox"]) await form.getByLabel(name).uncheck();
  await form.getByRole("button", { name: "Adicionar webhook" }).click();
  await form.getByText("O endereço começa com https://.").waitFor();
  await form.getByLabel("Endereço").fill("https://novo.example.com/pix");
  await form.getByRole("button", { name: "Adicionar webhook" }).click();
  await page.waitForFunction(() => document.activeElement?.name === "live");
  assert.deepEqual(await violations(page), []);
  await form.getByLabel("Produção").check();
  await form.getByRole("button", { name: "Adicionar webhook" }).click();
  const again = page.getByRole("dialog", { name: "Confirme que é você" });
  await again.getByRole("textbox", { name: "Senha" }).fill("correct horse battery");
  await again.getByLabel("Código de 6 dígitos").fill("123456");
  await again.getByRole("button", { name: "Confirmar" }).click();
  const once = page.getByRole("dialog", { name: "Segredo do webhook" });
  assert.match(await once.locator("[data-secret]").innerText(), /^whsec_[0-9a-f]{64}$/);
  assert.deepEqual(await violations(page), []);
  // It is not closed by a slip, nor by a second one, which browsers do not let pages refuse.
  for (let i = 0; i < 3; i++) await page.keyboard.press("Escape");
  await once.getByRole("button", { name: "Já guardei" }).click();
  await page.waitForURL(`**/webhooks/${desk.api.channels[0].id}`);
  assert.equal((await page.content()).includes("5e884898da280471"), false);
  const { body } = desk.sent("POST", "/api/v1/notification-channels").at(-1);
  assert.deepEqual(body, { name: null, url: "https://novo.example.com/pix", environments: ["live"], events: ["transaction.created", "transaction.paid", "transaction.expired",
    "transaction.refunded", "transaction.cancelled", "transaction.failed", "transaction.partially_refunded"] });
});

test("in the sandbox webhooks are for tests, and those of production, too, are shown and left to it", async (t) => {
  const desk = await start(t);
  const [shared] = desk.api.channels;
  const page = await desk.open("/webhooks", { environment: "sandbox" });
  await page.getByText("Nenhum webhook só de testes").waitFor();
  await page.getByRole("table", { name: "Também da produção" }).getByRole("link", { name: "ERP" }).waitFor();
  assert.deepEqual(await violations(page), []);
  await button(page, "Adicionar webhook").click();
  assert.equal(await dialog(page).getByLabel("Produção").count(), 0);
  await dialog(page).getByLabel("Endereço").fill("https://teste.example.com/pix");
  await dialog(page).getByRole("button", { name: "Adicionar webhook" }).click();
  await button(page, "Já guardei").click();
  await page.getByRole("heading", { name: "teste.example.com", level: 1 }).waitFor();
  assert.deepEqual(desk.sent("POST", "/api/v1/notification-channels").map(({ body }) => body.environments), [["sandbox"]]);
  await page.goto(`${desk.api.url}/webhooks/${shared.id}`);
  await button(page, "Trocar para Produção").click();
  await page.getByRole("heading", { name: "ERP", level: 1 }).waitFor();
});

test("what the API refuses of a webhook stands at its field, and what was typed stays", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/webhooks");
  await button(page, "Adicionar webhook").click();
  await dialog(page).getByLabel("Endereço").fill("https://intern.example.com/");
  await dialog(page).getByRole("button", { name: "Adicionar webhook" }).click();
  await dialog(page).locator("input[name=url][aria-invalid=true]").waitFor();
  assert.equal(await dialog(page).getByLabel("Endereço").inputValue(), "https://intern.example.com/");
  await page.reload();
  await button(page, "Adicionar webhook").click();
  assert.equal(await dialog(page).getByLabel("Endereço").inputValue(), "https://intern.example.com/");
});

test("a channel is tested, its log filtered and looked into, and a delivery sent again", async (t) => {
  const desk = await start(t);
  const { id } = desk.api.channels[0];
  const page = await desk.open(`/webhooks/${id}`);
  await button(page, "Enviar teste").click();
  await page.getByRole("link", { name: "Teste", exact: true }).waitFor();
  await page.locator("main").getByLabel("Situação").selectOption("failed");
  await page.waitForURL(/status=failed/);
  await eventually(async () => new Set(await page.locator("tbody tr .badge").allInnerTexts()).size === 1);
  await page.locator("main tbody a").first().click();
  // As text: what was sent may look like markup.
  assert.equal(await page.locator("[data-sent-body]").textContent(), '{"event":"transaction.paid","apiVersion":"v2","title":"<b>Paid</b>"}');
  assert.deepEqual(await violations(page), []);
  await dialog(page).getByRole("button", { name: "Reenviar" }).click();
  await dialog(page).getByText("Entregue").waitFor();
  await page.goBack();
  await closed(page);
});

test("what goes wrong in a dialog is told in it", async (t) => {
  const desk = await start(t);
  const { id } = desk.api.channels[0];
  const page = await desk.open(`/webhooks/${id}`);
  await page.locator("main tbody a").first().click();
  const again = dialog(page).getByRole("button", { name: "Reenviar" });
  await again.waitFor();
  desk.api.routes.unshift(["POST", /\/redeliver$/, () => (desk.api.routes.shift(), refuse(400, "ERR_CHANNEL_003"))]);
  await again.click();
  await dialog(page).getByRole("log", { name: "Avisos" }).getByText("O webhook está pausado.").waitFor();
  assert.deepEqual(await violations(page), []);
  await dialog(page).getByRole("log", { name: "Avisos" }).getByRole("button", { name: "Fechar" }).click();
  assert.equal(await page.locator(".toast").count(), 0);
  // And on the page once it is closed.
  await again.click();
  await page.keyboard.press("Escape");
  await closed(page);
  await page.getByRole("log", { name: "Avisos" }).getByText("Reenvio na fila").waitFor();
});

test("a recovery is counted before it is sent, in the store's zone", async (t) => {
  const desk = await start(t);
  const { id } = desk.api.channels[0];
  const page = await desk.open(`/webhooks/${id}`);
  await button(page, "Recuperar").click();
  await dialog(page).getByRole("button", { name: "Contar" }).click();
  await dialog(page).getByText("Escolha um momento.").waitFor();
  await dialog(page).getByLabel("De", { exact: true }).fill("2026-11-20T09:00");
  await dialog(page).getByRole("button", { name: "Contar" }).click();
  await dialog(page).getByText("3 avisos serão enviados.").waitFor();
  await dialog(page).getByRole("button", { name: "Enviar agora" }).click();
  await closed(page);
  assert.deepEqual(desk.sent("POST", `/api/v1/notification-channels/${id}/recover`).map(({ body }) => body),
    [{ since: "2026-11-20T12:00:00.000Z", dryRun: true }, { since: "2026-11-20T12:00:00.000Z" }]);
});

test("a period that is changed while it is counted has no count, and nothing is sent for it", async (t) => {
  const desk = await start(t);
  const { id } = desk.api.channels[0];
  const held = [];
  desk.api.routes.unshift(["POST", /^\/api\/v1\/notification-channels\/\w+\/recover$/, ({ response }) => void held.push(response)]);
  const page = await desk.open(`/webhooks/${id}`);
  await button(page, "Recuperar").click();
  const since = dialog(page).getByLabel("De", { exact: true });
  await since.fill("2026-11-20T09:00");
  await dialog(page).getByRole("button", { name: "Contar" }).click();
  await eventually(() => held.length === 1);
  await since.fill("2026-11-01T09:00");
  held[0].writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ success: true, data: { queued: 3, hastened: 1 } }));
  await dialog(page).locator("form [type=submit]:not([aria-disabled]):not(:disabled)").click();
  await eventually(() => held.length === 2);
  assert.equal(desk.sent("POST", `/api/v1/notification-channels/${id}/recover`)[1].body.dryRun, true);
});

test("a dialog whose secret is shown once stays until it has come", async (t) => {
  const desk = await start(t);
  const held = [];
  desk.api.routes.unshift(["POST", /^\/api\/v1\/notification-channels\/\w+\/rotate-secret$/, ({ response }) => void held.push(response)]);
  const page = await desk.open(`/webhooks/${desk.api.channels[1].id}`);
  await page.locator("main").getByRole("button", { name: "Trocar segredo", exact: true }).click();
  await button(dialog(page), "Trocar segredo").click();
  await eventually(() => held.length === 1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  assert.equal(await button(dialog(page), "Cancelar").isDisabled(), true);
  const data = { ...desk.api.channels[1], secret: "whsec_of_today" };
  held[0].writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ success: true, data }));
  await dialog(page).getByText("whsec_of_today").waitFor();
});

test("a channel on v1 shows both payloads side by side and moves to v2; its secret is rotated", async (t) => {
  const desk = await start(t);
  const { id } = desk.api.channels[1];
  const page = await desk.open(`/webhooks/${id}`);
  await button(page, "Migrar para v2").click();
  await page.locator("[data-version=v2]").waitFor();
  assert.match(await page.locator("[data-version=v1]").innerText(), /"event": "transaction\.created"/);
  assert.match(await page.locator("[data-version=v2]").innerText(), /"apiVersion": "v2"/);
  const [one, two] = await Promise.all(["v1", "v2"].map((each) => page.locator(`[data-version=${each}]`).boundingBox()));
  assert.ok(one.x + one.width <= two.x);
  await dialog(page).getByRole("button", { name: "Migrar para v2" }).click();
  await closed(page);
  assert.equal(await button(page, "Migrar para v2").count(), 0);
  await button(page, "Trocar segredo").click();
  await dialog(page).getByLabel("Transição").selectOption("0");
  await dialog(page).getByRole("button", { name: "Trocar segredo" }).click();
  await page.locator("[data-secret]").waitFor();
  assert.deepEqual(desk.sent("POST", `/api/v1/notification-channels/${id}/rotate-secret`)[0].body, { graceSeconds: 0 });
});
