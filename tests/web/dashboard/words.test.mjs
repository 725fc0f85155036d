// Words of success are shown only after success; unknown outcomes are not claimed; defaults are safe.
import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../browser/browser.mjs";
import { Desk } from "./desk.mjs";
import { OperationsApi } from "./operations_api.mjs";

const start = (t) => Desk.start(t, new OperationsApi());
const dialog = (page) => page.getByRole("dialog");

// What a browser may do with a text that is to be copied, and what people then read.
const copying = {
  "it takes it": [() => {}, "Copiado"],
  "it forbids the clipboard and copies a selection": [() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
    document.execCommand = () => true;
  }, "Copiado"],
  "it forbids both": [() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
    document.execCommand = () => false;
  }, "O navegador não deixou copiar"],
  "it has no clipboard, and throws": [() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.execCommand = () => { throw new Error("no"); };
  }, "O navegador não deixou copiar"],
  "it never says what became of it": [() => {
    navigator.clipboard.writeText = () => new Promise(() => {});
    document.execCommand = () => false;
  }, "O navegador não deixou copiar"],
  "it says so late, after a question": [() => {
    navigator.clipboard.writeText = () => new Promise((resolve) => { globalThis.allow = resolve; });
    document.execCommand = () => false;
  }, "O navegador não deixou copiar", "Copiado"],
};

test("that something was copied is said where it was, on the page and in a dialog", async (t) => {
  const desk = await start(t);
  const charge = desk.api.worlds.live.transactions.find(({ status }) => status === "waiting_payment");
  for (const [name, [script, words, later]] of Object.entries(copying)) {
    const page = await desk.open(`/cobrancas/${charge.id}`, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.evaluate(script);
    await page.getByRole("button", { name: "Copiar", exact: true }).click();
    const said = page.locator(".secret").getByRole("button", { name: words, exact: true });
    await said.waitFor();
    if (later) {
      await page.evaluate(() => globalThis.allow());
      await page.locator(".secret").getByRole("button", { name: later, exact: true }).waitFor();
    }
    if (name === "it takes it") assert.equal(await page.evaluate(() => navigator.clipboard.readText()), charge.pixCode);
    await page.context().close();
  }
  // What is outside of a dialog cannot be selected while it is open.
  const page = await desk.open("/webhooks");
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException("denied", "NotAllowedError"));
    document.execCommand = () => { globalThis.selected = document.activeElement.value; return document.activeElement.closest("dialog") !== null; };
  });
  await page.getByRole("button", { name: "Adicionar webhook" }).click();
  await dialog(page).getByLabel("Endereço").fill("https://novo.example.com/pix");
  await dialog(page).getByRole("button", { name: "Adicionar webhook" }).click();
  const once = page.getByRole("dialog", { name: "Segredo do webhook" });
  await once.getByRole("button", { name: "Copiar", exact: true }).click();
  await once.getByRole("button", { name: "Copiado", exact: true }).waitFor();
  assert.equal(await page.evaluate(() => globalThis.selected), await once.locator("[data-secret]").innerText());
  assert.equal(await page.locator("textarea").count(), 0);
});

test("a refund says who moves the money, by the charge's connection", async (t) => {
  const desk = await start(t);
  for (const [environment, moves, title, why, act, said, by] of [
    ["live", true, "Devolver pagamento", "O banco devolve", "Devolver", "Devolução pedida.", "enviada pelo banco"],
    ["live", false, "Registrar devolução", "Nenhum dinheiro sai daqui", "Registrar devolução", "Devolução registrada.", "fora daqui"],
    ["sandbox", false, "Registrar devolução", "No sandbox nenhum dinheiro é movimentado", "Registrar devolução", "Devolução registrada.", "fora daqui"]]) {
    const charge = desk.api.worlds[environment].transactions.find(({ status, refundedAmountCents }) => status === "paid" && refundedAmountCents === 0);
    charge.refundsMoveMoney = moves;
    const page = await desk.open(`/cobrancas/${charge.id}`, { environment });
    await page.getByRole("button", { name: "Devolver", exact: true }).click();
    const asked = page.getByRole("dialog", { name: title });
    await asked.getByText(why).waitFor();
    assert.deepEqual(await violations(page), []);
    await asked.getByLabel("Valor a devolver").fill("10,00");
    await asked.getByRole("button", { name: act, exact: true }).click();
    await page.getByText(said, { exact: true }).waitFor();
    const row = page.getByRole("table", { name: "Devoluções" }).locator("tbody tr");
    await row.getByText(by).waitFor();
    assert.equal(await row.getByText("Registrada", { exact: true }).count(), moves ? 0 : 1);
    await page.locator(".page-title").getByText("Devolvida em parte: R$ 10,00").waitFor();
  }
});

test("what goes back of money to settle says who sends it", async (t) => {
  const desk = await start(t);
  for (const [environment, why, said] of [["live", "O banco devolve", "Devolução pedida ao banco."], ["sandbox", "só fica registrada", "Devolução registrada."]]) {
    const charge = desk.api.worlds[environment].transactions.find(({ unappliedPayments }) => unappliedPayments.length > 0);
    const page = await desk.open(`/cobrancas/${charge.id}`, { environment });
    await page.locator(".page-title").getByText(/a conferir$/).waitFor();
    await page.getByRole("table", { name: "Pagamentos a conferir" }).getByRole("button", { name: "Devolver" }).click();
    await dialog(page).getByText(why).waitFor();
    await dialog(page).getByRole("button", { name: "Devolver", exact: true }).click();
    await page.getByText(said, { exact: true }).waitFor();
  }
});

test("lists say what came, was refunded in part and is kept aside, on wide pages and on phones", async (t) => {
  const desk = await start(t);
  const [first, second, third] = desk.api.worlds.live.transactions;
  const paid = { status: "paid", amountCents: 10_000, paidAt: first.createdAt, transactionCode: `E${"1".repeat(31)}`, unappliedPayments: [] };
  Object.assign(first, paid, { paidAmountCents: 10_000, refundedAmountCents: 2_500 });
  Object.assign(second, paid, { paidAmountCents: 9_000, refundedAmountCents: 0, customer: first.customer });
  Object.assign(third, { amountCents: 4_000, unappliedPayments: [{ ...third.unappliedPayments[0], amountCents: 3_990 }], customer: first.customer });
  for (const width of [1280, 390]) {
    for (const [path, caption] of [["/cobrancas", "Cobranças"], ["/", "Últimas cobranças"], [`/clientes/${first.customer.id}`, undefined]]) {
      const page = await desk.open(path, { width });
      const table = caption ? page.getByRole("table", { name: caption }) : page.getByRole("table").filter({ hasText: "Valor" }).first();
      await table.getByText("Devolvida em parte: R$ 25,00").waitFor();
      await table.getByText("Recebido R$ 90,00").waitFor();
      await table.getByText("R$ 39,90 a conferir").waitFor();
      // Rows of two lines have no place for what is net.
      for (const words of ["resta R$ 74,01", "líquido R$ 89,11"]) await table.getByText(words).waitFor({ state: width === 1280 ? "visible" : "hidden" });
      assert.deepEqual(await violations(page), [], `${path} ${width}`);
      assert.deepEqual(await desk.stickingOut(page), [], `${path} ${width}`);
      await page.context().close();
    }
  }
  const page = await desk.open(`/cobrancas/${second.id}`);
  const facts = page.locator(".facts").first();
  for (const words of ["Valor recebido", "R$ 90,00", "Tarifa", "R$ 0,89", "Líquido", "R$ 89,11"]) await facts.getByText(words, { exact: true }).waitFor();
  assert.equal(await facts.getByText(/devoluções/).count(), 0);
  await desk.goTo(page, `/cobrancas/${first.id}`);
  for (const words of ["Líquido, antes de devoluções", "R$ 99,01", "Resta após devoluções", "R$ 74,01"]) await facts.getByText(words, { exact: true }).waitFor();
});

test("of money to settle only what is possible is offered", async (t) => {
  const desk = await start(t);
  const charge = desk.api.worlds.live.transactions.find(({ unappliedPayments }) => unappliedPayments.length > 0);
  const [payment] = charge.unappliedPayments;
  const offered = async (changes, of = {}) => {
    charge.unappliedPayments = [{ ...payment, ...of }];
    Object.assign(charge, changes);
    const page = await desk.open(`/cobrancas/${charge.id}`);
    const table = page.getByRole("table", { name: "Pagamentos a conferir" });
    await table.waitFor();
    const names = await table.getByRole("button", { name: /^(Aceitar|Devolver)$/ }).allInnerTexts();
    const section = await page.getByRole("region", { name: "Pagamentos a conferir" }).innerText();
    await page.context().close();
    return [names, section];
  };
  const [unpaid] = await offered({ status: "expired", paidAmountCents: null });
  assert.deepEqual(unpaid, ["Aceitar", "Devolver"]);
  const [asked, waits] = await offered({}, { isReturning: true });
  assert.deepEqual(asked, []);
  assert.match(waits, /Devolução pedida ao banco/);
  const [twice, why] = await offered({ status: "paid", paidAmountCents: 1_990, paidAt: payment.paidAt, transactionCode: `E${"1".repeat(31)}` }, { flag: "DUPLICATE_PAYMENT" });
  assert.deepEqual(twice, ["Devolver"]);
  assert.match(why, /um pagamento só: devolva a quem pagou/);
});

test("the overview's money to settle has what is of no charge, and says who settles it", async (t) => {
  const desk = await start(t);
  const [, , stats] = desk.api.routes.find(([method, pattern]) => method === "GET" && pattern.test("/api/v1/stats"));
  const sums = {};
  desk.api.routes.unshift(["GET", /^\/api\/v1\/stats$/, (call) => {
    const { data, ...rest } = stats(call);
    return { ...rest, data: { ...data, totals: { ...data.totals, ...sums } } };
  }]);
  const none = { unappliedCount: 0, unappliedCents: 0, unmatchedCount: 0, unmatchedCents: 0 };
  for (const [changes, ...words] of [[{}, "Nada a conferir"],
    [{ unmatchedCount: 1, unmatchedCents: 3_333 }, "R$ 33,33", "1 Pix sem cobrança (R$ 33,33): o operador do serviço atribui ou devolve"],
    [{ unappliedCount: 1, unappliedCents: 1_000, unmatchedCount: 2, unmatchedCents: 3_333 }, "R$ 43,33", "1 cobrança com pagamento fora do esperado", "2 Pix sem cobrança (R$ 33,33): o operador do serviço atribui ou devolve"]]) {
    Object.assign(sums, none, changes);
    const page = await desk.open("/");
    for (const each of words) await page.locator(".tile", { hasText: "Pagamentos a conferir" }).getByText(each, { exact: true }).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.context().close();
  }
});

test("of webhooks the overview says what is known", async (t) => {
  const desk = await start(t);
  const [, , stats] = desk.api.routes.find(([method, pattern]) => method === "GET" && pattern.test("/api/v1/stats"));
  const counts = { failingChannels: 0, activeChannels: 0, untriedChannels: 0 };
  desk.api.routes.unshift(["GET", /^\/api\/v1\/stats$/, (call) => {
    const { data, ...rest } = stats(call);
    return { ...rest, data: { ...data, totals: { ...data.totals, ...counts } } };
  }]);
  for (const [changes, words] of [[{}, "Nenhum webhook ativo"], [{ activeChannels: 2, untriedChannels: 2 }, "Nada enviado ainda"],
    [{ activeChannels: 3, untriedChannels: 1 }, "Nada enviado ainda a 1 webhook; os outros estão recebendo"], [{ activeChannels: 3, untriedChannels: 0 }, "Todos os webhooks estão recebendo"],
    [{ activeChannels: 3, failingChannels: 1 }, "1 webhook não está recebendo"]]) {
    Object.assign(counts, changes);
    const page = await desk.open("/");
    await page.locator(".tiles").getByText(words, { exact: true }).waitFor();
    await page.context().close();
  }
});

test("a webhook that nothing was sent to is not called well, and pausing says what it means", async (t) => {
  const desk = await start(t);
  const [channel] = desk.api.channels;
  Object.assign(channel.health, { lastSuccessAt: null, lastFailureAt: null });
  const page = await desk.open(`/webhooks/${channel.id}`);
  await page.locator(".page-title").getByText("Nada enviado ainda").waitFor();
  await page.getByRole("button", { name: "Pausar" }).click();
  const asked = page.getByRole("dialog", { name: "Pausar webhook" });
  await asked.getByText("nada é enviado nem entra na fila").waitFor();
  await asked.getByText("use Recuperar").waitFor();
  assert.deepEqual(await violations(page), []);
  assert.equal(desk.sent("PATCH", `/api/v1/notification-channels/${channel.id}`).length, 0);
  await asked.getByRole("button", { name: "Pausar" }).click();
  await page.locator(".page-title").getByText("Pausado").waitFor();
  assert.deepEqual(desk.sent("PATCH", `/api/v1/notification-channels/${channel.id}`)[0].body, { isActive: false });
  await page.getByRole("button", { name: "Ativar" }).click();
  await page.getByText("só é enviado se você usar Recuperar").waitFor();
});

test("a connection that cannot charge, or was never polled, is not shown as if it were well", async (t) => {
  const desk = await start(t);
  const connection = (more) => ({ id: "cmwqconn00000000000000001", alias: "pix", providerId: "pix", providerName: "PIX BR Code", environment: "live", isDefault: true, isEnabled: true,
    state: null, lastPollAt: null, certificateEndsAt: null, breakerOpen: null, ...more });
  const bank = { id: "cmwqconn00000000000000002", alias: "banco", providerId: "api-pix", isDefault: false, state: "ok", breakerOpen: false };
  desk.api.routes.unshift(["GET", /^\/api\/v1\/connections$/, () => ({ data: [connection({}), connection(bank)] })]);
  for (const [pixKey, words] of [[null, "Sem chave Pix: não gera cobranças"], ["loj****.com", "Ativa"]]) {
    desk.api.store = { ...(desk.api.store ?? desk.api.plainStore({})), pixKey };
    const page = await desk.open("/conexoes");
    const rows = page.getByRole("table", { name: "Conexões bancárias" }).locator("tbody tr");
    await rows.first().getByText(words, { exact: true }).waitFor();
    await rows.nth(1).getByText("Ainda não consultada").waitFor();
    assert.equal(await page.getByText("Tudo certo").count(), 0);
    assert.deepEqual(await violations(page), []);
    await page.context().close();
  }
});

test("what is chosen for people gives away little", async (t) => {
  const desk = await start(t);
  const page = await desk.open("/equipe");
  await page.getByRole("button", { name: "Convidar" }).click();
  assert.equal(await dialog(page).getByLabel("Papel").inputValue(), "viewer");
  await desk.goTo(page, "/chaves");
  await page.getByRole("button", { name: "Criar chave" }).click();
  assert.equal(await dialog(page).locator("input[type=checkbox]:checked").count(), 0);
  await dialog(page).getByRole("button", { name: "Criar chave" }).click();
  await dialog(page).getByText("Escolha ao menos um.").waitFor();
  assert.equal(desk.sent("POST", "/api/v1/keys").length, 0);
  for (const [environment, chosen] of [["live", ["live"]], ["sandbox", ["sandbox"]]]) {
    const own = await desk.open("/webhooks", { environment });
    await own.getByRole("button", { name: "Adicionar webhook" }).click();
    const checked = await dialog(own).locator("fieldset").first().locator("input:checked").evaluateAll((all) => all.map(({ name, value }) => (value === "on" ? name : value)));
    assert.deepEqual(checked, chosen);
  }
});

test("a delivery shows what its receiver answered as text, its order and its environment", async (t) => {
  const desk = await start(t);
  const [channel] = desk.api.channels;
  const [delivery] = desk.api.deliveriesOf(channel.id);
  const page = await desk.open(`/webhooks/${channel.id}`);
  const row = page.getByRole("table", { name: "Registro de entregas" }).locator("tbody tr").first();
  await row.getByText(delivery.externalId, { exact: true }).waitFor();
  await row.getByText("Produção", { exact: true }).waitFor();
  await row.getByRole("link").first().click();
  await dialog(page).getByText(delivery.externalId, { exact: true }).waitFor();
  assert.equal(await dialog(page).locator("[data-response]").first().innerText(), `<img src=x onerror="alert(1)"> pedido ${delivery.externalId} desconhecido`);
  assert.equal(await dialog(page).locator("img").count(), 0);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(page.heard, []);
});
