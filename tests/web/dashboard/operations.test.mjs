// The pages of integration and settings: for everybody, and what is done on them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assertQuiet, violations } from "../browser/browser.mjs";
import { eventually } from "../site.mjs";
import { Desk } from "./desk.mjs";
import { OperationsApi } from "./operations_api.mjs";
import { eventsOf } from "./sample_data.mjs";

const start = (t) => Desk.start(t, new OperationsApi());
const button = (page, name) => page.getByRole("button", { name, exact: true });
const dialog = (page) => page.getByRole("dialog");
const closed = (page) => dialog(page).waitFor({ state: "detached" });

test("dialogs have no violation, are opened by keyboard and give the focus back", async (t) => {
  const desk = await start(t);
  const old = `/webhooks/${desk.api.channels[1].id}`;
  for (const [path, name] of [["/webhooks", "Adicionar webhook"], [old, "Alterar"], [old, "Recuperar"], [old, "Trocar segredo"], [old, "Remover"], [old, "Migrar para v2"],
    ["/chaves", "Criar chave"], ["/chaves", /^Trocar: /], ["/chaves", /^Revogar: /], ["/equipe", "Convidar"], ["/equipe", /^Papel: /], ["/equipe", /^Novo convite: /]]) {
    const page = await desk.open(path, { width: 320 });
    const opener = page.locator("main").getByRole("button", { name, exact: true }).first();
    await opener.focus();
    await page.keyboard.press("Enter");
    await dialog(page).waitFor();
    await desk.settled(page);
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      assert.deepEqual(await violations(page), [], `${path} ${name} ${colorScheme}`);
    }
    assert.equal(await dialog(page).evaluate((each) => each.scrollWidth > each.clientWidth), false, name);
    await page.keyboard.press("Escape");
    await closed(page);
    await desk.hasFocus(opener, `${path} ${name}`);
    await page.context().close();
  }
});

test("the store's settings are shown in the sandbox, and changed in production", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/loja", { environment: "sandbox" });
  assert.equal(await button(page, "Salvar").count(), 0);
  await button(page, "Trocar para Produção").click();
  await button(page, "Salvar").waitFor();
});

test("live events appear by themselves, wait while paused, and come after a cut", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/eventos");
  const [charge] = desk.api.worlds.live.transactions;
  const [created] = eventsOf({ ...charge, amountCents: 1990, product: "<img src=x>" });
  const tell = (number, event, more = {}) => desk.api.tell({ ...created, id: String(number).padStart(32, "0"), event, ...more });
  await eventually(() => desk.api.streams.size === 1);
  await page.locator("main .badge").getByText("Ao vivo").waitFor();
  tell(1, "transaction.created");
  await page.locator("[data-event]").filter({ hasText: "R$ 19,90" }).waitFor();
  await page.locator("[data-event] summary").click();
  await page.getByText('"<img src=x>"').waitFor();
  await button(page, "Pausar").click();
  tell(2, "transaction.expired", { data: {} });
  await page.getByRole("button", { name: "Continuar (1)" }).click();
  assert.equal(await page.locator("[data-event]").count(), 2);
  for (const stream of desk.api.streams) stream.destroy();
  await eventually(() => [...desk.api.streams].some((stream) => !stream.destroyed));
  assert.equal(desk.sent("GET", "/api/v1/events").at(-1).query.get("after"), "2".padStart(32, "0"));
  tell(3, "customer.unblocked", { transactionId: null, data: {} });
  await page.locator("[data-event]").nth(2).waitFor();
  await page.locator("main").getByLabel("Tipo").selectOption("customer");
  await eventually(async () => (await page.locator("[data-event]").count()) === 1);
  assertQuiet({ ...page, heard: page.heard.filter((each) => !each.includes("Failed to load resource") && !each.includes("ERR_")), asked: page.asked }, desk.host);
});

test("a flood of events leaves the page at its user's hand, who finds the few among the many", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/eventos");
  const [charge] = desk.api.worlds.live.transactions;
  const [created] = eventsOf(charge);
  let number = 0;
  const tell = (event, more = {}) => desk.api.tell({ ...created, id: String(++number).padStart(32, "0"), event, ...more });
  await eventually(() => desk.api.streams.size === 1);
  tell("customer.unblocked", { transactionId: null, data: {} });
  // As fast as the page takes them, until the test is over.
  let over = false;
  const flooding = (async () => {
    while (!over) {
      for (let i = 0; i < 500; ++i) tell("transaction.expired", { data: {} });
      await eventually(() => over || [...desk.api.streams].every((stream) => !stream.writableNeedDrain));
    }
  })();
  t.after(() => ((over = true), flooding));
  await page.getByText("São mostrados os 200 eventos mais recentes").waitFor();
  await page.locator("main .badge").getByText("Ao vivo").waitFor();
  assert.equal(await page.locator("[data-event]").count(), 200);
  await page.locator("main").getByLabel("Tipo").selectOption("customer");
  await eventually(async () => (await page.locator("[data-event]").count()) === 1);
  await page.locator("main").getByLabel("Tipo").selectOption("");
  await button(page, "Pausar").click();
  const first = () => page.locator("[data-event]").first().getAttribute("data-event");
  const stood = await first();
  await page.getByRole("button", { name: /^Continuar [(]200[)]$/ }).waitFor();
  assert.equal(await first(), stood);
  over = true;
  await flooding;
  tell("customer.unblocked", { transactionId: null, data: {} });
  await page.getByRole("button", { name: "Continuar (201)" }).click();
  await eventually(async () => (await first()) === String(number).padStart(32, "0"));
  assertQuiet(page, desk.host);
});

test("a feed that is cut before its first event, or refused for a moment, goes on where it was", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/eventos");
  const live = () => page.locator("main .badge").getByText("Ao vivo").waitFor();
  const asked = () => desk.sent("GET", "/api/v1/events");
  await live();
  desk.api.failures.push(429);
  for (const stream of desk.api.streams) stream.destroy();
  await eventually(() => asked().length === 4);
  await live();
  // The place of now is asked for first; then come streams, and no long poll.
  assert.deepEqual(asked().map(({ query }) => [query.get("after"), query.get("wait")]), [["now", null], ...Array(3).fill(["0".repeat(32), null])]);
});

test("failed requests are grouped, narrowed by a link, and lead to the code in the reference", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/requisicoes");
  await page.getByRole("link", { name: "ERR_VALIDATION_001" }).first().click();
  await page.waitForURL(/codigo=ERR_VALIDATION_001&campo=customer.document/);
  await eventually(async () => (await page.locator("table").last().locator("tbody tr").count()) === 2);
  await page.locator("table").last().getByRole("link", { name: "ERR_VALIDATION_001" }).first().click();
  await page.getByRole("heading", { name: "ERR_VALIDATION_001", level: 1 }).waitFor();
});

test("a key is issued, rolled and revoked, and shown once", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/chaves");
  await button(page, "Criar chave").click();
  await dialog(page).getByLabel("Nome").fill("ERP");
  for (const scope of ["transactions:write", "store:read"]) await dialog(page).getByLabel(scope).check();
  await dialog(page).getByLabel("Vale até").fill("2026-12-31");
  await dialog(page).getByLabel("Endereços IP permitidos").fill("203.0.113.7\n198.51.100.0/24");
  await dialog(page).getByRole("button", { name: "Criar chave" }).click();
  assert.match(await page.locator("[data-secret]").innerText(), /^sk_live_/);
  await button(page, "Já guardei").click();
  const { body } = desk.sent("POST", "/api/v1/keys")[0];
  assert.deepEqual(body.scopes, ["transactions:write", "store:read"]);
  assert.deepEqual([body.name, body.expiresAt, body.allowedIps], ["ERP", "2027-01-01T02:59:59.999Z", ["203.0.113.7", "198.51.100.0/24"]]);
  await page.getByRole("row", { name: /ERP/ }).getByRole("button", { name: "Trocar" }).click();
  await dialog(page).getByRole("button", { name: "Trocar chave" }).click();
  await button(page, "Já guardei").click();
  await page.getByRole("row", { name: /Planilha/ }).getByRole("button", { name: "Revogar" }).click();
  await dialog(page).getByRole("button", { name: "Revogar chave" }).click();
  await page.getByRole("row", { name: /Planilha.*Revogada/ }).waitFor();
  // Of each its beginning and its end, and no whole one.
  await page.getByRole("row", { name: /ERP/ }).getByText("sk_live_…c3D4").first().waitFor();
  assert.doesNotMatch(await page.content(), /sk_(?:live|test)_[0-9A-Za-z]/);
});

test("the team is invited, changed, invited again and removed; the last owner stays", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/equipe");
  await button(page, "Convidar").click();
  await dialog(page).getByLabel("E-mail").fill("nova@loja.example.com");
  await dialog(page).getByLabel("Papel").selectOption("viewer");
  await dialog(page).getByRole("button", { name: "Convidar" }).click();
  assert.match(await page.locator("[data-secret]").innerText(), /#\/convite\//);
  await button(page, "Já guardei").click();
  const row = (name) => page.getByRole("row", { name });
  await row(/dona@/).getByRole("button", { name: "Papel" }).click();
  await dialog(page).getByLabel("Papel").selectOption("viewer");
  await dialog(page).getByRole("button", { name: "Salvar" }).click();
  await dialog(page).getByText("A loja precisa de ao menos um proprietário.").waitFor();
  await page.keyboard.press("Escape");
  await row(/caixa@/).getByRole("button", { name: "Papel" }).click();
  await dialog(page).getByLabel("Papel").selectOption("owner");
  await dialog(page).getByRole("button", { name: "Salvar" }).click();
  await row(/caixa@.*Proprietário/).waitFor();
  await row(/nova@/).getByRole("button", { name: "Novo convite" }).click();
  await dialog(page).getByRole("button", { name: "Criar convite" }).click();
  await button(page, "Já guardei").click();
  await row(/nova@/).getByRole("button", { name: "Remover" }).click();
  await dialog(page).getByRole("button", { name: "Remover da equipe" }).click();
  await row(/nova@/).waitFor({ state: "detached" });
});

test("who is in the team is not invited again, and an invitation whose link was lost says so", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/equipe");
  await button(page, "Convidar").click();
  await dialog(page).getByLabel("E-mail").fill("Contador@example.com");
  await dialog(page).getByRole("button", { name: "Convidar" }).click();
  await dialog(page).getByText("Esta pessoa já está na equipe: Leitor.").waitFor();
  assert.equal(desk.sent("POST", "/api/v1/members").length, 0);
  // Another owner was quicker.
  desk.api.members = [...desk.api.members, { ...desk.api.members[2], userId: desk.api.members[2].userId.replace(/.$/, "0"), email: "nova@loja.example.com" }];
  await dialog(page).getByLabel("E-mail").fill("nova@loja.example.com");
  await dialog(page).getByRole("button", { name: "Convidar" }).click();
  await closed(page);
  await page.getByText("não há link para mostrar").waitFor();
  await page.getByRole("row", { name: /nova@/ }).waitFor();
});

// A PNG of one red point.
const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==", "base64");

test("the store's settings are changed, only what differs is sent, and a logo is checked before", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/loja");
  await page.getByLabel("Validade do Pix, em minutos").fill("0");
  await button(page, "Salvar").click();
  await page.getByText("Use um número inteiro de 1 a 525600.").waitFor();
  await page.getByLabel("Validade do Pix, em minutos").fill("45");
  await page.getByLabel("Valor máximo de uma cobrança").fill("2.500,50");
  await page.getByLabel("Cor", { exact: false }).first().fill("#123456");
  await page.getByLabel("Logotipo").setInputFiles({ name: "x.gif", mimeType: "image/gif", buffer: png });
  await page.getByText("Escolha uma imagem PNG ou WebP.").waitFor();
  await page.getByLabel("Logotipo").setInputFiles({ name: "x.png", mimeType: "image/png", buffer: Buffer.alloc(24 * 1024 + 1) });
  await page.getByText("A imagem passa de 24 KiB.").waitFor();
  await page.getByLabel("Logotipo").setInputFiles({ name: "x.png", mimeType: "image/png", buffer: png });
  await page.waitForFunction(() => document.querySelector("canvas.logo-picture")?.width > 0);
  assert.deepEqual(await violations(page), []);
  await button(page, "Salvar").click();
  await page.getByText("Salvo.").waitFor();
  assert.deepEqual(desk.sent("PATCH", "/api/v1/store")[0].body, { pixExpirationMinutes: 45, maxTransactionAmountCents: 250_050, color: "#123456",
    logo: `data:image/png;base64,${png.toString("base64")}` });
  await page.getByLabel("Fuso horário").fill("America/Nowhere");
  await button(page, "Salvar").click();
  await page.locator("input[name=timezone][aria-invalid=true]").waitFor();
  assertQuiet({ ...page, heard: page.heard.filter((each) => !each.includes("400")), asked: page.asked }, desk.host);
});

test("an export is saved as a workbook, of the chosen days in the store's zone and of the environment that is shown", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/exportar");
  await page.getByLabel("O quê").selectOption("refunds");
  await page.getByLabel("De", { exact: true }).fill("2026-11-01");
  await page.getByLabel("Até", { exact: true }).fill("2026-11-20");
  const [saved] = await Promise.all([page.waitForEvent("download"), button(page, "Baixar arquivo").click()]);
  assert.equal(saved.suggestedFilename(), "refunds-2026-11-01-2026-11-20.xlsx");
  assert.equal(readFileSync(await saved.path(), "utf8"), "id,what,from,to\n1,refunds,2026-11-01,2026-11-20\n");
  const { query, headers } = desk.sent("GET", "/api/v1/exports/refunds")[0];
  assert.deepEqual([query.get("format"), query.get("timezone"), Boolean(headers["pixledger-project"])], ["xlsx", "America/Recife", true]);
  assert.deepEqual([query.get("environment"), query.get("language"), query.get("by")], ["live", "pt", null]);
  await page.getByText("Só dados de produção.").waitFor();
  await button(page, "Sandbox").click();
  await page.getByText("Só dados do sandbox.").waitFor();
  await page.getByLabel("O quê").selectOption("payments");
  await page.getByLabel("Formato").selectOption("csv-br");
  await page.getByLabel("Data considerada").selectOption("paid");
  const [again] = await Promise.all([page.waitForEvent("download"), button(page, "Baixar arquivo").click()]);
  assert.match(again.suggestedFilename(), /^payments-.*\.csv$/);
  const { query: next } = desk.sent("GET", "/api/v1/exports/payments")[0];
  assert.deepEqual([next.get("format"), next.get("environment"), next.get("by")], ["csv-br", "sandbox", "paid"]);
});

test("a checkpoint is saved as the ledger signed it", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/auditoria");
  const [saved] = await Promise.all([page.waitForEvent("download"), button(page, "Salvar checkpoint").click()]);
  const { content } = desk.api.document.paths["/api/v1/ledger/checkpoint"].get.responses[200];
  assert.equal(readFileSync(await saved.path(), "utf8"), content["application/json"].example.data.checkpoint);
});

test("roles hide what they may not do, and say who may", async (t) => {
  const desk = await start(t);
  for (const [role, offered] of [["operator", true], ["viewer", false]]) {
    desk.api.role = role;
    for (const path of ["/chaves", "/equipe"]) {
      const page = await desk.open(path);
      await page.getByText("Só proprietários da loja veem e alteram isto.").waitFor();
      assert.equal(await page.locator("nav").getByRole("link", { name: /Chaves|Equipe/ }).count(), 0);
      await page.context().close();
    }
    const store = await desk.open("/loja");
    await store.getByText("Só proprietários alteram as configurações da loja.").waitFor();
    assert.equal(await button(store, "Salvar").count(), 0);
    await store.context().close();
    const list = await desk.open("/webhooks");
    assert.equal(await button(list, "Adicionar webhook").count(), offered ? 1 : 0);
    await list.context().close();
    const channel = await desk.open(`/webhooks/${desk.api.channels[1].id}`);
    for (const name of ["Enviar teste", "Trocar segredo", "Migrar para v2", "Reenviar"])
      assert.equal((await button(channel, name).count()) > 0, offered, `${role} ${name}`);
    await channel.context().close();
  }
  assert.deepEqual(desk.api.asked.filter(({ path }) => /\/(keys|members)$/.test(path)), []);
});
