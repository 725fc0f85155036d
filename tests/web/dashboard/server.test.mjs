// The dashboard before the server that it is made for, in Debian's chromium: nothing between them is a double.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { verifyWebhook } from "../../../sdk/node/index.mjs";
import { assertQuiet, launch, open } from "../browser/browser.mjs";
import { eventually, send } from "../site.mjs";
import { World } from "../world.mjs";
import { addAuthenticator } from "./authenticator.mjs";
import { codeOf } from "./totp.mjs";

const button = (scope, name) => scope.getByRole("button", { name, exact: true });
const dialog = (page) => page.getByRole("dialog");

// A merchant's receiver: what came, as it came.
async function receiver(t) {
  const received = [];
  const server = createServer(async (request, answer) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
    answer.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { received, url: `http://127.0.0.1:${server.address().port}/pix` };
}

// A page of the owner's, who has set a passkey by the invitation that `pixledger user invite` gives.
async function owner(t, world) {
  const url = `http://localhost:${await world.port("dashboard-port")}`;
  const invited = JSON.parse(world.pixledger("user", "invite", "--project", world.project, "--email", "dona@loja.example.com",
    "--role", "owner", "--dashboard-url", url, "--json"));
  const page = await open(await launch(t), invited.url, { viewport: { width: 1280, height: 900 }, locale: "pt-BR" });
  await addAuthenticator(page);
  await button(page, "Aceitar convite").click();
  await button(page, "Criar chave de acesso").click();
  await page.getByRole("heading", { name: "Visão geral" }).waitFor();
  return { page, url };
}

async function paidCharge(world) {
  const { data } = await world.api("POST", "/api/v1/transactions", { customer: { name: "Ana Lima", document: "52998224725", email: "ana@example.com",
    phone: "11987654321" }, payment: { amountCents: 1990, product: "Camiseta" }, originDomain: "loja.example.com" });
  assert.equal((await world.api("POST", `/api/sandbox/transactions/${data.id}/pay`)).status, 200);
  return data.id;
}

test("the invitation signs in; a channel is added on the page, whose secret verifies the next webhook; an old one is moved to v2", async (t) => {
  const world = await World.start(t);
  const { received, url: receives } = await receiver(t);
  const { page, url } = await owner(t, world);
  await page.goto(`${url}/webhooks`);
  await button(page, "Adicionar webhook").click();
  await dialog(page).getByLabel("Endereço").fill(receives);
  await dialog(page).getByLabel("Sandbox", { exact: true }).check();
  await button(dialog(page), "Adicionar webhook").click();
  const secret = await page.getByRole("dialog", { name: "Segredo do webhook" }).locator("[data-secret]").innerText();
  await button(page, "Já guardei").click();
  const id = await paidCharge(world);
  const told = await eventually(() => received.find(({ body }) => JSON.parse(body).event === "transaction.paid"), 30_000);
  assert.equal(verifyWebhook(told.body, told.headers, secret).data.transactionId, id);
  assert.throws(() => verifyWebhook(told.body, told.headers, `whsec_${"0".repeat(64)}`));

  const old = await receiver(t);
  const channel = JSON.parse(world.pixledger("channel", "add", "--project", world.project, "--url", old.url, "--api-version", "v1",
    "--allow-http", "--allow-target", "127.0.0.0/8", "--json"));
  const paidAs = async (version) => {
    const before = old.received.length;
    await paidCharge(world);
    const { headers, body } = await eventually(() => old.received.slice(before).find((each) => JSON.parse(each.body).event === "transaction.paid"), 30_000);
    verifyWebhook(body, headers, channel.secret);
    // v1 does not name itself.
    assert.equal(JSON.parse(body).apiVersion ?? "v1", version);
    assert.equal(headers["x-webhook-signature"].startsWith("t="), version === "v2");
  };
  await paidAs("v1");
  await page.goto(`${url}/webhooks/${channel.channelId}`);
  await button(page, "Migrar para v2").click();
  await page.locator("[data-version=v2]").getByText('"apiVersion": "v2"').waitFor();
  await page.locator("[data-version=v1]").getByText('"event": "transaction.created"').waitFor();
  await button(dialog(page), "Migrar para v2").click();
  await dialog(page).waitFor({ state: "detached" });
  await paidAs("v2");

  // A link's own webhook, which is no channel of the project.
  const own = await receiver(t);
  const customer = { name: "Ana Lima", document: "52998224725", email: "ana@example.com", phone: "11987654321" };
  const { data: session } = await world.api("POST", "/api/v1/checkout/sessions", { payment: { product: "Vaso", amountCents: 9900 }, originDomain: "loja.example.com",
    customer, webhookUrl: own.url });
  await eventually(() => own.received.length === 1, 30_000);
  await page.goto(`${url}/cobrancas/${session.transactionId}`);
  await button(page, "Trocar para Sandbox").click();
  await button(page, "Ver entregas").click();
  const row = page.getByRole("table", { name: "Webhooks desta cobrança" }).locator("tbody tr").filter({ hasText: "Webhook do próprio link" });
  await row.getByRole("button").click();
  await button(dialog(page), "Reenviar").click();
  await eventually(() => own.received.length === 2, 30_000);
  assertQuiet(page, new URL(url).host);
});

test("events appear as they happen; whichever process is killed, the page goes on by itself and loses nothing that was typed", async (t) => {
  const world = await World.start(t);
  const { page, url } = await owner(t, world);
  await button(page, "Sandbox").click();
  await page.goto(`${url}/eventos`);
  await page.getByText("Ao vivo", { exact: true }).waitFor();
  const shows = (id, name) => page.locator(`li:has(a[href="/cobrancas/${id}"])`, { hasText: name }).first().waitFor();
  const began = Date.now();
  const first = await paidCharge(world);
  await shows(first, "transaction.paid");
  t.diagnostic(`created, paid and shown within ${Date.now() - began} ms`);

  const form = await page.context().newPage();
  await form.goto(`${url}/cobrancas/nova`);
  const references = ["pixledger-server", "pixledger-web"];
  for (const program of references) {
    await form.getByLabel("Produto").fill("Vaso grande");
    await form.getByLabel("Valor").fill("249,90");
    await form.getByLabel("Domínio da loja").fill("loja.example.com");
    await form.getByLabel("Referência").fill(program);
    process.kill(world.pidOf(program), "SIGKILL");
    await button(form, "Gerar link de pagamento").click();
    await form.getByRole("heading", { name: "Link pronto" }).waitFor({ timeout: 60_000 });
    await button(form, "Criar outro").click();
    const id = await eventually(() => paidCharge(world).catch(() => null), 30_000);
    await shows(id, "transaction.paid");
  }
  const { data } = await world.api("GET", "/api/v1/events?limit=100", undefined, world.liveKey);
  const made = data.filter(({ event }) => event === "checkout.created").map((each) => each.data.externalId);
  assert.deepEqual(made.sort(), references.sort());
});

test("password, code and recovery code sign in; a cookie that was stolen is dead once its user has signed out", async (t) => {
  const world = await World.start(t);
  const url = `http://localhost:${await world.port("dashboard-port")}`;
  const invited = JSON.parse(world.pixledger("user", "invite", "--project", world.project, "--email", "rui@loja.example.com",
    "--role", "viewer", "--dashboard-url", url, "--json"));
  const page = await open(await launch(t), invited.url, { viewport: { width: 1280, height: 900 }, locale: "pt-BR" });
  await button(page, "Aceitar convite").click();
  await page.getByLabel("Nova senha").fill("a long sentence is good");
  await button(page, "Continuar").click();
  const secret = (await page.locator(".secret code").innerText()).replaceAll(" ", "");
  await page.getByLabel("Código de 6 dígitos").fill(codeOf(secret));
  await button(page, "Confirmar").click();
  const recovery = await page.locator(".codes li").first().innerText();
  await button(page, "Já guardei").click();
  await page.getByRole("heading", { name: "Visão geral" }).waitFor();

  const [stolen] = await page.context().cookies();
  const asThief = () => send(`${url.replace("localhost", "127.0.0.1")}/api/v1/store`, { headers: { Host: new URL(url).host, "Sec-Fetch-Site": "same-origin",
    "Pixledger-Project": world.project, Cookie: `${stolen.name}=${stolen.value}` } });
  assert.equal((await asThief()).status, 200);
  await button(page, "Sair").click();
  await button(page, "Entrar").waitFor();
  assert.equal((await asThief()).status, 401);

  await page.getByRole("button", { name: /código de recuperação/ }).click();
  await page.getByLabel("E-mail").fill("rui@loja.example.com");
  await page.getByLabel("Senha", { exact: true }).fill("a long sentence is good");
  await page.getByLabel("Código de recuperação").fill(recovery);
  await button(page, "Entrar").click();
  await page.getByRole("heading", { name: "Visão geral" }).waitFor();
  // A viewer is offered nothing that they may not do.
  await page.goto(`${url}/webhooks`);
  await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
  assert.equal(await button(page, "Adicionar webhook").count(), 0);
  assertQuiet(page, new URL(url).host);
});
