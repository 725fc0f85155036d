// The pages of integration and settings: for everybody, and what is done on them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { assertQuiet, overflows, violations } from "../browser/browser.mjs";
import { eventually } from "../site.mjs";
import { pagesOfOperations } from "./addresses.mjs";
import { Desk } from "./desk.mjs";
import { refuse } from "./fake_api.mjs";
import { OperationsApi } from "./operations_api.mjs";
import { eventsOf } from "./sample_data.mjs";

const start = (t) => Desk.start(t, new OperationsApi());
const button = (page, name) => page.getByRole("button", { name, exact: true });
const dialog = (page) => page.getByRole("dialog");
const closed = (page) => dialog(page).waitFor({ state: "detached" });

for (const language of ["pt-BR", "en"])
  test(`pages have no violation, and fit 320 px, in ${language}`, async (t) => {
    const desk = await start(t);
    for (const [path] of pagesOfOperations(desk.api)) {
      const page = await desk.open(path, { language, width: 320 });
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        // Each language in each theme, at one width or the other, unless there is time for both.
        const one = (width === 320) === (language === "en") ? "dark" : "light";
        for (const colorScheme of process.env.PIXLEDGER_EVERY_VARIANT ? ["light", "dark"] : [one]) {
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await violations(page), [], `${path} ${colorScheme} ${width}`);
          assert.equal(await overflows(page), false, `${path} ${colorScheme} ${width}`);
        }
        assert.deepEqual(await desk.stickingOut(page), [], `${path} ${width}`);
      }
      assertQuiet(page, desk.host);
      assert.equal(await page.locator("[style]").count(), 0, path);
      await page.context().close();
    }
  });

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

test("a webhook is added after confirming again, and its secret is shown once", async (t) => {
  const desk = await start(t);
  desk.api.stale = true;
  const page = await desk.open("/webhooks");
  await button(page, "Adicionar webhook").click();
  const form = dialog(page);
  await page.waitForFunction(() => document.activeElement?.name === "url");
  await form.getByLabel("Endereço").fill("novo.example.com/pix");
  await form.getByLabel("Devolvida em parte").check();
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

test("the store's settings are shown in the sandbox, and changed in production", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/loja", { environment: "sandbox" });
  assert.equal(await button(page, "Salvar").count(), 0);
  await button(page, "Trocar para Produção").click();
  await button(page, "Salvar").waitFor();
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
  assert.equal(await page.locator("[data-sent-body]").innerText(), '{"event":"transaction.paid","apiVersion":"v2","title":"<b>Paid</b>"}');
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
  await page.getByRole("log", { name: "Avisos" }).getByText("Reenvio a caminho").waitFor();
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
  await dialog(page).getByLabel("store:write").uncheck();
  await dialog(page).getByLabel("Vale até").fill("2026-12-31");
  await dialog(page).getByLabel("Endereços IP permitidos").fill("203.0.113.7\n198.51.100.0/24");
  await dialog(page).getByRole("button", { name: "Criar chave" }).click();
  assert.match(await page.locator("[data-secret]").innerText(), /^sk_live_/);
  await button(page, "Já guardei").click();
  const { body } = desk.sent("POST", "/api/v1/keys")[0];
  assert.equal(body.scopes.includes("store:write"), false);
  assert.equal(body.scopes.includes("transactions:write"), true);
  assert.deepEqual([body.name, body.expiresAt, body.allowedIps], ["ERP", "2027-01-01T02:59:59.999Z", ["203.0.113.7", "198.51.100.0/24"]]);
  await page.getByRole("row", { name: /ERP/ }).getByRole("button", { name: "Trocar" }).click();
  await dialog(page).getByRole("button", { name: "Trocar chave" }).click();
  await button(page, "Já guardei").click();
  await page.getByRole("row", { name: /Planilha/ }).getByRole("button", { name: "Revogar" }).click();
  await dialog(page).getByRole("button", { name: "Revogar chave" }).click();
  await page.getByRole("row", { name: /Planilha.*Revogada/ }).waitFor();
  assert.equal((await page.content()).includes("sk_live_"), false);
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

test("an export is saved as a file, of the chosen days in the store's zone", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/exportar");
  await page.getByLabel("O quê").selectOption("refunds");
  await page.getByLabel("De", { exact: true }).fill("2026-11-01");
  await page.getByLabel("Até", { exact: true }).fill("2026-11-20");
  const [saved] = await Promise.all([page.waitForEvent("download"), button(page, "Baixar arquivo").click()]);
  assert.equal(saved.suggestedFilename(), "refunds-2026-11-01-2026-11-20.csv");
  assert.equal(readFileSync(await saved.path(), "utf8"), "id,what,from,to\n1,refunds,2026-11-01,2026-11-20\n");
  const { query, headers } = desk.sent("GET", "/api/v1/exports/refunds")[0];
  assert.deepEqual([query.get("format"), query.get("timezone"), Boolean(headers["pixledger-project"])], ["csv", "America/Recife", true]);
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
      await page.getByText("Só proprietários da loja veem e mudam isto.").waitFor();
      assert.equal(await page.locator("nav").getByRole("link", { name: /Chaves|Equipe/ }).count(), 0);
      await page.context().close();
    }
    const store = await desk.open("/loja");
    await store.getByText("Só proprietários mudam a loja.").waitFor();
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
