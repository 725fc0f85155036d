// What merchants do with charges and customers, and what the API is asked for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { overflows, violations } from "../browser/browser.mjs";
import { eventually } from "../site.mjs";
import { Desk } from "./desk.mjs";
import { refuse } from "./fake_api.mjs";
import { OperationsApi } from "./operations_api.mjs";
import { eventsOf, statsOf, store } from "./sample_data.mjs";

const lastList = (desk) => Object.fromEntries(desk.sent("GET", "/api/v1/transactions").at(-1).query);

test("every filter of the address reaches the API, days as the store's", async (t) => {
  const desk = await Desk.start(t);
  const filters = { search: "ana", amountMin: "1000", amountMax: "5000", customerEmail: "a@b.co", customerId: "cmwq000001", externalId: "p-1", transactionCode: "E".repeat(32),
    originDomain: "loja.example.com", connectionId: "cmwq000002", unapplied: "true", status: "paid,expired", "metadata[canal]": "instagram", page: "1" };
  const page = await desk.open(`/cobrancas?${new URLSearchParams({ ...filters, dateFrom: "2026-11-01", dateTo: "2026-11-02" })}`);
  await page.getByText("Nenhuma cobrança encontrada").waitFor();
  // Recife is three hours behind UTC.
  assert.deepEqual(lastList(desk), { ...filters, environment: "live", limit: "20", dateFrom: "2026-11-01", dateTo: "2026-11-02" });
  const { headers } = desk.sent("GET", "/api/v1/transactions").at(-1);
  assert.equal(headers["pixledger-project"], "cmwqproject00000000000001");
  assert.equal(headers["pixledger-environment"], "live");
  assert.match(headers["x-request-id"], /^req_[0-9a-z]+$/);
});

test("filters that are filled in stand in the address, and go one by one", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/cobrancas?page=2");
  await page.getByRole("link", { name: "Paga", exact: true }).click();
  await page.getByLabel("Buscar", { exact: true }).last().fill("Lima");
  await page.getByText("Mais filtros").click();
  await page.getByLabel("Valor de").fill("abc");
  await page.getByRole("button", { name: "Filtrar" }).click();
  await page.getByText("Confira o valor").waitFor();
  await page.getByLabel("Valor de").fill("20,00");
  await page.getByRole("button", { name: "Filtrar" }).click();
  await page.waitForURL(/status=paid&search=Lima&amountMin=2000$/);
  await page.getByRole("link", { name: "Remover filtro Buscar" }).click();
  await page.waitForURL(/status=paid&amountMin=2000$/);
  await page.goBack();
  await page.waitForURL(/search=Lima/);
  await page.waitForFunction(() => document.querySelector("input[name=search]").value === "Lima");
  // What was typed and not sent yet stays where another filter goes.
  await page.getByLabel("Valor até").fill("99");
  await page.getByRole("link", { name: "Remover filtro Buscar" }).click();
  await page.waitForFunction(() => document.querySelector("input[name=search]").value === "");
  assert.equal(await page.getByLabel("Valor até").inputValue(), "99");
});

test("an address that holds no days shows what is wrong, and the rest of the application", async (t) => {
  const desk = await Desk.start(t);
  desk.api.contract.judge = () => {}; // who would promise anything of such addresses
  const charge = desk.api.worlds.live.transactions[1];
  for (const path of ["/clientes?dateFrom=x", "/cobrancas?dateFrom=2026-99-99&dateTo=x", `/cobrancas/${charge.id}?asOf=x`]) {
    const page = await desk.open(path);
    await page.getByRole("navigation", { name: "Navegação" }).getByRole("link", { name: "Clientes" }).waitFor();
    assert.equal(await page.getByText("Não foi possível mostrar esta página").count(), 0, path);
    assert.deepEqual(page.heard.filter((each) => /RangeError|Invalid time/.test(each)), [], path);
    await page.context().close();
  }
});

test("anything is searched for from any page", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.live.transactions[1];
  const page = await desk.open("/bloqueios");
  await page.getByRole("search").getByLabel("Buscar").fill(charge.transactionCode);
  await page.keyboard.press("Enter");
  await page.getByRole("table", { name: "Cobranças" }).getByRole("link").click();
  await page.waitForURL(`**/cobrancas/${charge.id}`);
});

test("a search finds what is of the environment that is shown", async (t) => {
  const desk = await Desk.start(t);
  const { live, sandbox } = desk.api.worlds;
  for (const [environment, here, there] of [["live", live, sandbox], ["sandbox", sandbox, live]]) {
    const page = await desk.open("/busca?q=ana", { environment });
    await page.getByRole("table", { name: "Cobranças" }).waitFor();
    for (const path of ["/api/v1/transactions", "/api/v1/customers"]) assert.equal(desk.sent("GET", path).at(-1).query.get("environment"), environment);
    await page.context().close();
    // A viewer's search knows no environments.
    desk.api.routes.unshift(["GET", /^\/api\/v1\/search$/, () => ({ data: { transactions: [here, there].map(({ transactions }) => desk.api.item(transactions[0])), customers: [], payments: [] } })]);
    const viewers = await desk.open("/", { environment });
    await viewers.getByRole("combobox", { name: "Loja" }).selectOption("Livraria Recife");
    await desk.follow(viewers, `/busca?q=${here.transactions[0].id}`);
    const links = viewers.getByRole("table", { name: "Cobranças" }).getByRole("link");
    await links.first().waitFor();
    assert.deepEqual(await links.evaluateAll((all) => all.map((each) => each.pathname)), [`/cobrancas/${here.transactions[0].id}`]);
    await viewers.context().close();
  }
});

test("a charge shows who did what, and how it was", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.live.transactions.find(({ status }) => status === "refunded");
  const page = await desk.open(`/cobrancas/${charge.id}`);
  const items = page.locator(".timeline > li");
  assert.equal(await items.count(), 3);
  assert.match(await items.first().innerText(), /Cobrança devolvida[\s\S]*Cliente desistiu[\s\S]*você/);
  assert.match(await items.nth(1).innerText(), /Cobrança paga[\s\S]*o sistema\s/);
  await items.last().getByRole("link", { name: "Ver como estava" }).click();
  await page.getByText("Você está vendo como a cobrança estava").waitFor();
  await page.locator(".page-title").getByText("Aguardando").waitFor();
  assert.equal(desk.sent("GET", `/api/v1/transactions/${charge.id}`).at(-1).query.get("asOf"), eventsOf(charge)[0].id);
  assert.equal(await page.getByRole("button", { name: "Devolver" }).count(), 0);
  await page.getByRole("link", { name: "Voltar para agora" }).click();
  await page.locator(".page-title").getByText("Devolvida").waitFor();
  await page.getByLabel("Dia e hora").fill("2026-11-10T09:30");
  await page.getByRole("button", { name: "Mostrar" }).click();
  await page.waitForURL(/asOf=2026-11-10T12%3A30%3A00\.000Z/);
});

test("what is too old to go back is not offered for it, and the page says why", async (t) => {
  const desk = await Desk.start(t);
  const { transactions } = desk.api.worlds.live;
  const [paid, expired] = ["paid", "expired"].map((status) => transactions.find((charge) => charge.status === status));
  const daysAgo = (days) => new Date(Date.now() - days * 86_400_000).toISOString();
  const refund = (page) => page.getByRole("button", { name: "Devolver", exact: true });
  const why = (page) => page.getByText("o pagamento tem mais de 90 dias");
  const cases = [
    [paid, { paidAt: daysAgo(89) }, true],
    [paid, { paidAt: daysAgo(91) }, false],
    // What is left of the payment that is not too old can go back.
    [paid, { paidAt: daysAgo(91), paidAmountCents: 2500, addedPayments: [{ endToEndId: "E".repeat(32), amountCents: 1000, feeCents: 0, paidAt: daysAgo(5) }] }, true],
    [paid, { refundedAmountCents: 1000, refunds: [{ id: "r1", amountCents: 1000, status: "done", moved: true, origin: "merchant", requestedAt: daysAgo(1), settledAt: daysAgo(1), reason: null,
      endToEndId: "E".repeat(32) }] }, false],
    [expired, { unappliedPayments: [{ ...expired.unappliedPayments[0], paidAt: daysAgo(89) }] }, true],
    [expired, { unappliedPayments: [{ ...expired.unappliedPayments[0], paidAt: daysAgo(91) }] }, false],
    // What the store sends back itself is only recorded, whenever that is.
    [expired, { refundsMoveMoney: false }, true],
  ];
  for (const [charge, changes, isOffered] of cases) {
    Object.assign(charge, changes);
    const page = await desk.open(`/cobrancas/${charge.id}`);
    await (isOffered ? refund(page) : why(page)).waitFor();
    assert.deepEqual([await refund(page).count(), await why(page).count()], isOffered ? [1, 0] : [0, 1], JSON.stringify(changes));
    if (changes.addedPayments) {
      await refund(page).click();
      assert.equal(await page.getByLabel("Valor a devolver").inputValue(), "10,00");
    }
    await page.context().close();
  }
});

test("owners read who did what by name", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const charge = desk.api.worlds.live.transactions.find(({ status }) => status === "refunded");
  const events = eventsOf(charge);
  events[0].actor = `key-${desk.api.keys[0].id}`;
  events[2].actor = `user-${desk.api.members[1].userId}`;
  desk.api.routes.unshift(["GET", /^\/api\/v1\/transactions\/(\w+)\/events$/, () => ({ data: events, meta: { next: "f".repeat(32) } })]);
  const page = await desk.open(`/cobrancas/${charge.id}`);
  const items = page.locator(".timeline > li");
  await items.first().getByText("caixa@loja.example.com").waitFor();
  await items.last().getByText("chave de API “Loja virtual”").waitFor();
  for (const [actor, words] of [["operator-root", "o operador do serviço"], ["operator-ana", "o operador do serviço (ana)"], ["user-cmwqsomebody0000000000001", "alguém da equipe"]]) {
    events[2].actor = actor;
    await page.reload();
    await items.first().getByText(words, { exact: true }).waitFor();
  }
});

test("what was sent to the webhook of a charge's own link is shown, and sent again", async (t) => {
  const desk = await Desk.start(t, new OperationsApi());
  const charge = desk.api.worlds.live.transactions.find(({ status }) => status === "paid");
  const events = eventsOf(charge);
  events[0].data.checkoutSessionId = "cmwqsession00000000000001";
  const delivery = { ...desk.api.deliveriesOf(desk.api.channels[0].id)[0], channelId: "cmwqsession00000000000001", transactionId: charge.id };
  desk.api.log.set(delivery.channelId, [delivery]);
  desk.api.routes.unshift(["GET", /^\/api\/v1\/transactions\/(\w+)\/events$/, () => ({ data: events, meta: { next: "f".repeat(32) } })],
    ["GET", /^\/api\/v1\/checkout\/sessions\/(\w+)\/deliveries$/, ({ query }) => desk.api.page([delivery], query)]);
  const page = await desk.open(`/cobrancas/${charge.id}`);
  await page.getByRole("button", { name: "Ver entregas" }).click();
  const row = page.getByRole("table", { name: "Webhooks desta cobrança" }).locator("tbody tr").filter({ hasText: "Webhook do próprio link" });
  await row.getByRole("button").click();
  await page.getByRole("dialog").getByRole("button", { name: "Reenviar" }).click();
  await page.getByRole("dialog").getByText("Entregue", { exact: true }).waitFor();
  assert.equal(desk.sent("POST", `/api/v1/deliveries/${delivery.id}/redeliver`).length, 1);
  assert.equal(desk.sent("GET", "/api/v1/checkout/sessions/cmwqsession00000000000001/deliveries").at(0).query.get("transactionId"), charge.id);
});

test("a store without a Pix key is told so before a charge is filled in, in production alone", async (t) => {
  const desk = await Desk.start(t);
  desk.api.routes.unshift(["GET", /^\/api\/v1\/store$/, () => ({ data: { ...store, pixKey: null } })]);
  const page = await desk.open("/cobrancas/nova");
  const told = page.getByText("A loja ainda não tem chave Pix");
  await told.waitFor();
  await page.getByRole("button", { name: "Sandbox", exact: true }).click();
  await told.waitFor({ state: "detached" });
});

test("a history that cannot be read again says so, above what is known of it", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.live.transactions.find(({ status }) => status === "waiting_payment");
  const page = await desk.open(`/cobrancas/${charge.id}`);
  const history = page.getByRole("region", { name: "Histórico" });
  await eventually(() => desk.api.streams.size === 1);
  let isBusy = true;
  const events = desk.api.routes.find(([method, pattern]) => method === "GET" && pattern.test(`/api/v1/transactions/${charge.id}/events`));
  desk.api.routes.unshift([events[0], events[1], (call) => (isBusy ? refuse(429, "ERR_RATE_001") : events[2](call))]);
  desk.api.tell(eventsOf(charge)[0]);
  await history.getByRole("alert").getByText("Tentativas demais").waitFor();
  assert.equal(await history.getByRole("listitem").count(), 1);
  isBusy = false;
  await history.getByRole("button", { name: "Tentar de novo" }).click();
  await history.getByRole("alert").waitFor({ state: "detached" });
});

test("a moment that the API refuses shows no charge at all", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.live.transactions.find(({ status }) => status === "paid");
  desk.api.routes.unshift(["GET", /^\/api\/v1\/transactions\/(\w+)$/, (call) =>
    (call.query.get("asOf") ? refuse(404, "ERR_TRANSACTION_001") : { data: desk.api.detail(desk.api.transaction(call)) })]);
  const page = await desk.open(`/cobrancas/${charge.id}`);
  await page.getByLabel("Dia e hora").fill("2026-01-01T09:30");
  await page.getByRole("button", { name: "Mostrar" }).click();
  await page.getByText("Naquele momento a cobrança ainda não existia.").waitFor();
  assert.equal(await page.getByText(charge.transactionCode).count(), 0);
  assert.equal(await page.locator(".page-title .badge").count(), 0);
  await page.getByRole("link", { name: "Voltar para agora" }).click();
  await page.locator(".page-title").getByText("Paga", { exact: true }).waitFor();
});

test("the overview of the sandbox counts the failing webhooks of both environments, and shows no figures of production meanwhile", async (t) => {
  const desk = await Desk.start(t);
  const held = [];
  desk.api.routes.unshift(["GET", /^\/api\/v1\/stats$/, ({ query, response }) => {
    const data = statsOf("2026-11-20", "2026-11-21");
    const meta = { timezone: store.timezone };
    if (query.get("environment") === "live") return { data: { ...data, totals: { ...data.totals, paidCents: 777_00 } }, meta };
    held.push(() => response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ success: true, data: { ...data, totals: { ...data.totals, failingChannels: 2 } }, meta })));
  }]);
  const page = await desk.open("/");
  const received = page.locator(".tile").getByText("777,00");
  await received.waitFor();
  await page.getByRole("button", { name: "Sandbox", exact: true }).click();
  // The period that is shown, and the one before it.
  await eventually(() => held.length === 2);
  assert.equal(await received.count(), 0);
  for (const answer of held) answer();
  await page.getByRole("link", { name: "2 webhooks não estão recebendo" }).waitFor();
  const asked = desk.sent("GET", "/api/v1/stats").at(-1);
  assert.deepEqual([asked.headers["pixledger-environment"], asked.query.get("environment")], ["live", "sandbox"]);
});

test("a store that pays all the time lets the overview's answers come, and asks for few", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/");
  await eventually(() => desk.api.streams.size === 1);
  const asked = () => desk.sent("GET", "/api/v1/transactions").length;
  const before = asked();
  const held = [];
  desk.api.routes.unshift(["GET", /^\/api\/v1\/stats$/, ({ response }) => void held.push(response)]);
  const [created] = eventsOf(desk.api.worlds.live.transactions[0]);
  let told = 0;
  // At the first, and when some time has passed since.
  await eventually(() => {
    desk.api.tell({ ...created, id: String(++told).padStart(32, "0") });
    return asked() === before + 2;
  });
  assert.ok(told > 10);
  assert.equal(held.length, 1);
  assert.equal(held[0].destroyed, false);
  held[0].writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ success: true, data: statsOf("2026-11-20", "2026-11-21"), meta: { timezone: store.timezone } }));
  await eventually(() => held.length === 2);
  assert.equal(page.heard.length, 0);
});

test("a charge of the other environment is not shown as if it were of this one", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.sandbox.transactions[0];
  const page = await desk.open(`/cobrancas/${charge.id}`);
  await page.getByRole("button", { name: "Trocar para Sandbox" }).click();
  await page.getByText("nenhum dinheiro é movimentado aqui").waitFor();
  await page.getByRole("heading", { name: "Simular" }).waitFor();
});

test("a sandbox charge is paid by a button, and another page of it is told", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.sandbox.transactions[0];
  const [one, other] = [await desk.open(`/cobrancas/${charge.id}`, { environment: "sandbox" }), await desk.open(`/cobrancas/${charge.id}`, { environment: "sandbox" })];
  await one.getByRole("button", { name: "Pagar" }).click();
  for (const page of [one, other]) await page.locator(".page-title").getByText("Paga", { exact: true }).waitFor();
});

test("a payment link is made for a known customer, and refused fields say why", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/cobrancas/nova", { environment: "sandbox" });
  await page.getByLabel("Produto").fill("Curso & café");
  await page.getByLabel("Valor").fill("150");
  await page.getByLabel("Já sei quem paga").check();
  await page.getByLabel("Nome").fill("Ana Lima");
  await page.getByLabel("CPF ou CNPJ").fill("529.982");
  await page.getByLabel("E-mail").fill("ana@example.com");
  await page.getByLabel("Telefone").fill("(81) 98765-4321");
  await page.getByRole("button", { name: "Gerar link de pagamento" }).click();
  await page.getByText("Confira o CPF ou CNPJ.").waitFor();
  await page.getByLabel("CPF ou CNPJ").fill("529.982.247-25");
  await page.getByRole("button", { name: "Gerar link de pagamento" }).click();
  await page.getByRole("heading", { name: "Link pronto" }).waitFor();
  const { body, headers } = desk.sent("POST", "/api/v1/checkout/sessions").at(-1);
  assert.deepEqual(body, { payment: { product: "Curso & café", amountCents: 15000 }, originDomain: "loja.example.com", externalId: null, expiresInMinutes: 1440, locale: null,
    customer: { name: "Ana Lima", document: "52998224725", email: "ana@example.com", phone: "81987654321" } });
  assert.equal(headers["pixledger-environment"], "sandbox");
  const href = await page.getByRole("link", { name: "Mandar por WhatsApp" }).getAttribute("href");
  assert.match(new URL(href).searchParams.get("text"), /Curso & café \(R\$\s150,00\).*https:\/\/pay\.example\.com\/pay\//);
});

test("a customer is blocked with a reason until the end of a day of the store, and freed", async (t) => {
  const desk = await Desk.start(t);
  const customer = desk.api.worlds.live.customers[0];
  const page = await desk.open(`/clientes/${customer.id}`);
  await page.getByRole("button", { name: "Bloquear" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Bloquear" }).click();
  await dialog.getByText("Preencha este campo.").waitFor();
  await dialog.getByLabel("Motivo").fill("Contestou");
  await dialog.getByLabel("Bloqueado até").fill("2027-01-31");
  await dialog.getByRole("button", { name: "Bloquear" }).click();
  await page.getByText("Cliente bloqueado.").waitFor();
  assert.deepEqual(desk.sent("POST", `/api/v1/customers/${customer.id}/block`).at(-1).body, { blockType: "manual", reason: "Contestou", expiresAt: "2027-02-01T02:59:59.999Z" });
  await page.getByRole("button", { name: "Liberar" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Liberar" }).click();
  await page.getByText("Cliente liberado.").waitFor();
  assert.equal(customer.isBlocked, false);
});

test("the blocklist takes documents as people write them", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/bloqueios");
  await page.getByRole("button", { name: "Adicionar bloqueio" }).click();
  await page.getByLabel("Tipo").selectOption("document");
  await page.getByLabel("O que bloquear").fill("529.982.247-25");
  await page.getByRole("dialog").getByRole("button", { name: "Bloquear" }).click();
  await page.getByRole("cell", { name: "529.982.247-25", exact: true }).waitFor();
  assert.deepEqual(desk.sent("POST", "/api/v1/blocklist").at(-1).body, { type: "document", value: "52998224725", reason: null });
  await page.getByRole("button", { name: "Remover: 529.982.247-25" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remover" }).click();
  await page.getByRole("cell", { name: "529.982.247-25", exact: true }).waitFor({ state: "detached" });
});

test("a list whose last page has lost its only row shows the page before, rather than that it is empty", async (t) => {
  const desk = await Desk.start(t);
  const { blocklist } = desk.api.worlds.live;
  const [one] = blocklist;
  blocklist.splice(0, Infinity, ...Array.from({ length: 21 }, (_, index) => ({ ...one, id: `${one.id.slice(0, -2)}${10 + index}`, value: `golpe${index}@example.com` })));
  const page = await desk.open("/bloqueios?page=2");
  await page.getByRole("button", { name: "Remover: golpe20@example.com" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remover", exact: true }).click();
  await page.waitForURL(/bloqueios$/);
  await page.getByText("golpe19@example.com").waitFor();
  assert.equal(await page.getByText("A lista está vazia").count(), 0);
});

test("the focus is on the heading when what had it goes away", async (t) => {
  const desk = await Desk.start(t);
  const onHeading = (page, name) => page.waitForFunction((name) => document.activeElement?.tagName === "H1" && document.activeElement.textContent === name, name);
  const page = await desk.open("/cobrancas");
  const charge = desk.api.worlds.live.transactions[0];
  await page.locator(`main a[href="/cobrancas/${charge.id}"]`).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Linha do tempo" }).or(page.locator(".timeline")).first().waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === "H1" && document.activeElement.textContent.includes("R$"));
  await page.goto(`${desk.api.url}/cobrancas?page=2`);
  await desk.settled(page);
  await page.getByRole("link", { name: "Próxima" }).focus();
  await page.keyboard.press("Enter");
  await onHeading(page, "Cobranças");
  await page.goto(`${desk.api.url}/bloqueios`);
  await page.getByRole("button", { name: /^Remover: golpe/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Remover" }).click();
  await page.getByRole("cell", { name: "golpe@example.com", exact: true }).waitFor({ state: "detached" });
  await onHeading(page, "Bloqueios");
});

test("a viewer is offered no search that the API would refuse", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/");
  await page.getByRole("combobox", { name: "Loja" }).selectOption("Livraria Recife");
  await page.getByText("Leitor").waitFor();
  await page.goto(`${desk.api.url}/cobrancas`);
  await page.getByText("Mais filtros").click();
  await page.getByLabel("Referência").waitFor();
  for (const name of ["search", "customerEmail", "metadataKey"]) assert.equal(await page.locator(`main input[name=${name}]`).count(), 0, name);
  await page.goto(`${desk.api.url}/clientes`);
  await page.getByLabel("Criadas de").waitFor();
  for (const name of ["search", "email", "document"]) assert.equal(await page.locator(`main input[name=${name}]`).count(), 0, name);
  await page.goto(`${desk.api.url}/busca?q=nothing-of-this`);
  await page.getByText("Seu papel busca só por ID").waitFor();
});

test("a viewer is offered nothing that changes anything", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/");
  await page.getByRole("combobox", { name: "Loja" }).selectOption("Livraria Recife");
  await page.getByText("Leitor").waitFor();
  const { transactions, customers } = desk.api.worlds.live;
  for (const path of ["/", "/cobrancas", `/cobrancas/${transactions[0].id}`, `/cobrancas/${transactions[1].id}`, `/cobrancas/${transactions[2].id}`, "/cobrancas/nova", `/clientes/${customers[0].id}`, "/bloqueios"]) {
    await page.goto(desk.api.url + path);
    await desk.settled(page);
    for (const name of [/Nova cobrança/, /^Devolver$/, /^Cancelar/, /^Confirmar/, /^Aceitar$/, /^Bloquear/, /^Remover/])
      assert.equal(await page.locator("main").getByRole("button", { name }).or(page.locator("main").getByRole("link", { name })).count(), 0, `${path} ${name}`);
  }
  assert.equal(desk.api.asked.at(-1).headers["pixledger-project"], "cmwqproject00000000000002");
});

const asFile = (text, name = "extrato.ofx") => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(text) });

test("a statement is chosen, sent as it is, and its differences are listed with what to do", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/");
  await page.getByRole("navigation", { name: "Navegação" }).getByRole("link", { name: "Conciliação" }).click();
  const compare = page.getByRole("button", { name: "Comparar", exact: true });
  await compare.click();
  await page.getByText(/^Escolha um arquivo de extrato/).waitFor();
  await page.getByLabel("Extrato", { exact: true }).setInputFiles(asFile("<OFX>\xC9</OFX>"));
  await page.getByLabel("De", { exact: true }).fill("2026-11-01");
  await compare.click();
  const outcome = page.locator('[data-outcome="differs"]');
  await outcome.waitFor();
  await desk.hasFocus(outcome, "what it came to");
  const [sent] = desk.sent("POST", "/api/v1/reconciliations");
  assert.equal(sent.headers["content-type"], "application/octet-stream");
  assert.equal(sent.body, "<OFX>\xC9</OFX>");
  assert.deepEqual(Object.fromEntries(sent.query), { from: "2026-11-01", timezone: "America/Recife" });
  const missing = page.getByRole("region", { name: "No extrato, mas não aqui (1)" });
  await missing.getByText("R$ 19,90").waitFor();
  await missing.getByText(/se for da loja, registre na cobrança/).waitFor();
  await page.getByText(/não traz devoluções/).waitFor();
  await page.setViewportSize({ width: 320, height: 900 });
  assert.equal(await overflows(page), false);
  assert.deepEqual(await desk.stickingOut(page), []);
  assert.deepEqual(await violations(page), []);
  // Another file takes the old answer away.
  await page.getByLabel("Extrato", { exact: true }).setInputFiles(asFile(""));
  assert.equal(await outcome.count(), 0);
  await page.getByText(/^Escolha um arquivo de extrato/).waitFor();
  await compare.click();
  assert.equal(desk.sent("POST", "/api/v1/reconciliations").length, 1);
});

test("what was charged stands beside what came where that is another amount", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/conciliacao");
  const { example } = desk.api.document.paths["/api/v1/reconciliations"].post.responses[200].content["application/json"];
  const counts = { ...example.data.counts, matched: 0, missingInLedger: 1, amountDiffers: 1 };
  const amountDiffers = [{ ...example.data.missingInLedger[0], statementAmountCents: 1_990, ledgerAmountCents: 1_990, ledgerPaidAt: example.data.missingInLedger[0].statementPaidAt, chargeAmountCents: 1_001 }];
  desk.api.routes.unshift(["POST", /^\/api\/v1\/reconciliations$/, () => ({ ...example, data: { ...example.data, counts, amountDiffers } })]);
  await page.getByLabel("Extrato", { exact: true }).setInputFiles(asFile("<OFX></OFX>"));
  await page.getByRole("button", { name: "Comparar", exact: true }).click();
  const table = page.getByRole("table", { name: "Com outro valor (1)" });
  await table.waitFor();
  assert.deepEqual((await table.locator("thead th").allInnerTexts()).slice(2, 5), ["No extrato", "Aqui", "Cobrado"]);
  assert.deepEqual((await table.locator("tbody td").allInnerTexts()).slice(-4, -1).map((text) => text.replace(/\s/g, " ")), ["R$ 19,90", "R$ 19,90", "R$ 10,01"]);
  assert.equal(await page.getByRole("table", { name: "No extrato, mas não aqui (1)" }).getByText("Cobrado").count(), 0);
});

test("an amount that is refused is told in reais", async (t) => {
  const desk = await Desk.start(t);
  desk.api.routes.unshift(["POST", /^\/api\/v1\/checkout\/sessions$/, () => refuse(400, "ERR_VALIDATION_001", [{ field: "payment.amountCents", reason: "must be an integer from 1 to 99999999999" }])]);
  for (const [language, words] of [["pt", "Use um valor de R$ 0,01 a R$ 999.999.999,99."], ["en", "Use an amount from R$0.01 to R$999,999,999.99."]]) {
    const page = await desk.open("/cobrancas/nova", { language });
    await page.locator("main input[name=product]").fill("Camiseta");
    await page.locator("main input[name=amount]").fill("999999999999");
    await page.locator("main input[name=originDomain]").fill("loja.example.com");
    await page.locator("main button[type=submit]").click();
    await page.locator(".field-error").getByText(words, { exact: true }).waitFor();
    await page.context().close();
  }
});

test("what the API cannot compare or read is told, and is not shown as missing", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/conciliacao");
  const compare = page.getByRole("button", { name: "Comparar", exact: true });
  const { example } = desk.api.document.paths["/api/v1/reconciliations"].post.responses[200].content["application/json"];
  const counts = { ...example.data.counts, matched: 0, missingInLedger: 0, unidentified: 1 };
  const unidentified = [{ ...example.data.missingInLedger[0], endToEndId: null }];
  desk.api.routes.unshift(["POST", /^\/api\/v1\/reconciliations$/, () => ({ ...example, data: { ...example.data, outcome: "cannotCompare", cause: "noNames", reason: "None", counts, missingInLedger: [], unidentified } })]);
  await page.getByLabel("Extrato", { exact: true }).setInputFiles(asFile("<OFX></OFX>"));
  await compare.click();
  await page.getByText(/Não dá para comparar/).waitFor();
  await page.getByRole("region", { name: "Não identificados (1)" }).waitFor();
  assert.equal(await page.getByText("No extrato, mas não aqui").count(), 0);
  desk.api.routes.unshift(["POST", /^\/api\/v1\/reconciliations$/, () => refuse(400, "ERR_VALIDATION_001", [{ field: "statement",
    reason: 'the statement\'s line 7: the amount "1.234" can be read in two ways: write it with two decimals, such as 1234.00 or 1.234,00: "E1;1.234"' }])]);
  await compare.click();
  await page.getByText('Linha 7, valor escrito de dois modos; use centavos, como 1.234,00: "E1;1.234"').waitFor();
  // It is the file's own problem, and says what of it is missing.
  desk.api.routes.unshift(["POST", /^\/api\/v1\/reconciliations$/, () => refuse(400, "ERR_VALIDATION_001", [{ field: "statement",
    reason: "the statement has 1 of 2 pages of the window 2026-11-01T00:00:00Z to 2026-11-30T23:59:59Z (paginaAtual 1 is missing): write all of them into one file, one after the other" }])]);
  await compare.click();
  await page.getByText("Faltam páginas da consulta de 2026-11-01T00:00:00Z a 2026-11-30T23:59:59Z: vieram 1 de 2, e falta a paginaAtual 1. Ponha todas no mesmo arquivo.").waitFor();
  assert.equal(await page.getByText("statement", { exact: true }).count(), 0);
});

test("the days that were compared stand beside the verdict, with those of which the statement has nothing", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/conciliacao");
  const { example } = desk.api.document.paths["/api/v1/reconciliations"].post.responses[200].content["application/json"];
  const answer = (part) => desk.api.routes.unshift(["POST", /^\/api\/v1\/reconciliations$/, () => ({ ...example, data: { ...example.data, ...part } })]);
  const compare = async () => {
    await page.getByLabel("Extrato", { exact: true }).setInputFiles(asFile("<OFX></OFX>"));
    await page.getByRole("button", { name: "Comparar", exact: true }).click();
    return page.locator("[data-outcome]");
  };
  const { period } = example.data;
  answer({ outcome: "agrees", period });
  await (await compare()).getByText(/^Comparado: de 21\/11\/2026.* a 21\/11\/2026.*, o período que o extrato informa/).waitFor();
  answer({ outcome: "agrees", period: { ...period, by: "lines" } });
  await (await compare()).getByText(/da primeira à última linha, pois o extrato não informa o período. Informe as datas/).waitFor();
  answer({ period: { ...period, gaps: [{ from: "2026-11-03T03:00:00.000Z", to: "2026-11-20T02:59:59.999Z" }] } });
  await (await compare()).getByText(/O extrato não traz nada de 03\/11\/2026.* a 19\/11\/2026/).waitFor();
  answer({ outcome: "cannotCompare", cause: "outOfPeriod", reason: "None" });
  await (await compare()).getByText(/^Nenhuma linha do extrato é destes dias/).waitFor();
});

test("what is doubtful in a statement stands beside the verdict, in the reader's language", async (t) => {
  const desk = await Desk.start(t);
  const { example } = desk.api.document.paths["/api/v1/reconciliations"].post.responses[200].content["application/json"];
  const warnings = ["the statement's line 9: its amount or day cannot be read: it is ignored"];
  desk.api.routes.unshift(["POST", /^\/api\/v1\/reconciliations$/, () => ({ ...example, data: { ...example.data, warnings } })]);
  for (const [language, words, button] of [["pt-BR", "Linha 9: não foi possível ler o valor ou o dia", "Comparar"], ["en", "The statement's line 9: its amount or day cannot be read", "Compare"]]) {
    const page = await desk.open("/conciliacao", { language });
    await page.locator("input[type=file]").setInputFiles({ name: "extrato.csv", mimeType: "text/csv", buffer: Buffer.from("a;b\n") });
    await page.getByRole("button", { name: button }).click();
    await page.getByText(words).waitFor();
    await page.context().close();
  }
});
