// Signing in, being invited, confirming again, and what becomes of a page whose session or server goes away.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertQuiet, readQr } from "../browser/browser.mjs";
import { addAuthenticator } from "./authenticator.mjs";
import { Desk } from "./desk.mjs";
import { password } from "./fake_api.mjs";

const fillSignIn = async (scope, code = "123456") => {
  await scope.getByLabel("E-mail").fill("dona@loja.example.com");
  await scope.getByLabel("Senha", { exact: true }).fill(password);
  await scope.getByLabel("Código de 6 dígitos").fill(code);
};

test("password and code sign in, and lead to the page that was asked for", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/clientes?isBlocked=true", { signedIn: false });
  await page.waitForURL("**/entrar?volta=*");
  assertQuiet(page, desk.host);
  await fillSignIn(page, "000000");
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
  await page.getByRole("alert").getByText("Os dados não conferem").waitFor();
  assert.equal(await page.getByLabel("E-mail").inputValue(), "dona@loja.example.com");
  await page.getByLabel("Código de 6 dígitos").fill("123456");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/clientes?isBlocked=true");
  assert.equal(await page.evaluate(() => document.cookie), "");
});

test("the way back after signing in never leads to another host", async (t) => {
  const desk = await Desk.start(t);
  for (const to of ["https://evil.example/", "//evil.example/", "/\\evil.example/", "/\t/evil.example/", "/.//evil.example/", "javascript:alert(1)", "https://"]) {
    const page = await desk.open(`/entrar?volta=${encodeURIComponent(to)}`, { signedIn: false });
    await fillSignIn(page);
    await page.getByRole("button", { name: "Entrar", exact: true }).click();
    await page.getByRole("heading", { name: "Visão geral" }).waitFor();
    assert.equal(page.url(), `${desk.api.url}/`);
    await page.context().close();
  }
});

test("a recovery code signs in", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/entrar", { signedIn: false });
  await page.getByRole("button", { name: /código de recuperação/ }).click();
  await page.getByLabel("E-mail").fill("dona@loja.example.com");
  await page.getByLabel("Senha", { exact: true }).fill(password);
  await page.getByLabel("Código de recuperação").fill("GEZD-GNBV-GY3T-QOJQ");
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
  await page.getByRole("heading", { name: "Visão geral" }).waitFor();
});

test("an invitation leads to a passkey, which then signs in; the token leaves the address", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/#/convite/abc", { signedIn: false });
  await addAuthenticator(page);
  assert.equal(desk.sent("POST", "/api/v1/sign-ins").length, 0);
  await page.getByRole("button", { name: "Aceitar convite" }).click();
  await page.getByLabel("Nome da chave").fill("Celular");
  assert.equal(new URL(page.url()).hash, "");
  await page.getByRole("button", { name: "Criar chave de acesso" }).click();
  await page.getByRole("heading", { name: "Visão geral" }).waitFor();
  const [{ body }] = desk.sent("POST", "/api/v1/me/passkeys");
  assert.equal(body.name, "Celular");
  assert.equal(JSON.parse(Buffer.from(body.clientDataJson, "base64url")).type, "webauthn.create");
  // A DER SubjectPublicKeyInfo of a key on P-256.
  assert.equal(Buffer.from(body.publicKey, "base64url").length, 91);
  await page.getByRole("button", { name: "Sair" }).click();
  await page.getByRole("button", { name: "Entrar com chave de acesso" }).click();
  await page.getByRole("heading", { name: "Visão geral" }).waitFor();
  const { passkey } = desk.sent("POST", "/api/v1/sign-ins").at(-1).body;
  assert.equal(passkey.credentialId, body.credentialId);
  assert.equal(Buffer.from(passkey.userHandle, "base64url").toString(), "user");
});

test("an invitation leads to password, app and codes that are shown once", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/#/convite/abc", { signedIn: false });
  await page.getByRole("button", { name: "Aceitar convite" }).click();
  await page.getByLabel("Nova senha").fill("short");
  await page.getByRole("button", { name: "Continuar" }).click();
  await page.getByText("Use ao menos 12 caracteres.").waitFor();
  await page.getByLabel("Nova senha").fill("a long sentence is good");
  await page.getByRole("button", { name: "Continuar" }).click();
  await page.getByRole("img", { name: "QR code para o aplicativo autenticador" }).waitFor();
  assert.match(await readQr(page), /^otpauth:\/\/totp\/pixledger:dona%40loja\.example\.com\?secret=[A-Z2-7]{32}&issuer=pixledger$/);
  await page.getByLabel("Código de 6 dígitos").fill("123 456");
  await page.getByRole("button", { name: "Confirmar" }).click();
  await page.getByText("GEZD-GNBV-GY3T-QOJQ").waitFor();
  assert.equal(await page.locator(".codes li").count(), 8);
  await page.getByRole("button", { name: "Já guardei" }).click();
  await page.getByRole("heading", { name: "Visão geral" }).waitFor();
});

test("a used or unknown invitation says so", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/#/convite/unknown", { signedIn: false });
  await page.getByRole("button", { name: "Aceitar convite" }).click();
  await page.getByRole("heading", { name: "O convite não vale mais" }).waitFor();
});

test("what wants a credential again asks for it, and then happens once", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.live.transactions.find(({ status }) => status === "paid");
  const page = await desk.open(`/cobrancas/${charge.id}`);
  desk.api.stale = true;
  await page.getByRole("button", { name: "Devolver", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Devolver pagamento" });
  await dialog.getByLabel("Valor a devolver").fill("10,00");
  await dialog.getByLabel("Motivo").fill("Peça com defeito");
  await dialog.getByRole("button", { name: "Devolver", exact: true }).click();
  const again = page.getByRole("dialog", { name: "Confirme que é você" });
  await again.getByLabel("Senha", { exact: true }).fill("wrong");
  await again.getByLabel("Código de 6 dígitos").fill("123456");
  await again.getByRole("button", { name: "Confirmar" }).click();
  await again.getByRole("alert").waitFor();
  await again.getByLabel("Senha", { exact: true }).fill(password);
  await again.getByLabel("Código de 6 dígitos").fill("123 456");
  await again.getByRole("button", { name: "Confirmar" }).click();
  await page.getByText("Devolução pedida.").waitFor();
  assert.equal(await page.getByRole("dialog").count(), 0);
  const sent = desk.sent("POST", `/api/v1/transactions/${charge.id}/refund`);
  assert.deepEqual(sent.map(({ body }) => body), [{ amountCents: 1000, reason: "Peça com defeito" }, { amountCents: 1000, reason: "Peça com defeito" }]);
  assert.equal(charge.refundedAmountCents, 1000);
  // Where the second answer is lost, a third is known by the key of the first.
  assert.equal(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size, 1);
});

test("who does not confirm again keeps what they typed, and nothing happens", async (t) => {
  const desk = await Desk.start(t);
  const charge = desk.api.worlds.live.transactions.find(({ status }) => status === "paid");
  const page = await desk.open(`/cobrancas/${charge.id}`);
  desk.api.stale = true;
  await page.getByRole("button", { name: "Devolver", exact: true }).click();
  await page.getByLabel("Motivo").fill("Peça com defeito");
  await page.getByRole("dialog").getByRole("button", { name: "Devolver", exact: true }).click();
  await page.getByRole("dialog", { name: "Confirme que é você" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("É preciso confirmar de novo que é você.").waitFor();
  assert.equal(await page.getByLabel("Motivo").inputValue(), "Peça com defeito");
  assert.equal(charge.refundedAmountCents, 0);
});

test("a session that ends is taken up again over the page, with what was typed into it", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/cobrancas/nova");
  await page.getByLabel("Produto").fill("Vaso grande");
  await page.getByLabel("Valor").fill("249,90");
  desk.api.sessions.clear();
  await page.getByRole("button", { name: "Gerar link de pagamento" }).click();
  const dialog = page.getByRole("dialog", { name: "Sua sessão terminou" });
  await dialog.waitFor();
  for (let i = 0; i < 3; i++) await page.keyboard.press("Escape");
  await dialog.getByLabel("Senha", { exact: true }).fill(password);
  await dialog.getByLabel("Código de 6 dígitos").fill("123456");
  await dialog.getByRole("button", { name: "Entrar", exact: true }).click();
  await page.getByRole("heading", { name: "Link pronto" }).waitFor();
  assert.deepEqual(desk.sent("POST", "/api/v1/checkout/sessions").at(-1).body.payment, { product: "Vaso grande", amountCents: 24990 });
});

test("a server that goes away loses nothing, and what was sent happens once", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/cobrancas/nova");
  await page.getByLabel("Produto").fill("Vaso grande");
  await page.getByLabel("Valor").fill("249,90");
  // Cut off, then a proxy's answer, then it is back.
  desk.api.failures.push(0, 502);
  await page.getByRole("button", { name: "Gerar link de pagamento" }).click();
  await page.getByText("Sem contato com o servidor. Tentando de novo").waitFor();
  await page.getByRole("heading", { name: "Link pronto" }).waitFor();
  const keys = desk.sent("POST", "/api/v1/checkout/sessions").map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
  await page.getByText("Sem contato com o servidor. Tentando de novo").waitFor({ state: "detached" });
});

test("what was typed outlives a reload, and is gone once it was sent", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/cobrancas/nova");
  await page.getByLabel("Produto").fill("Vaso grande");
  await page.reload();
  await page.getByRole("heading", { name: "Quem paga" }).waitFor();
  assert.equal(await page.getByLabel("Produto").inputValue(), "Vaso grande");
  await page.getByLabel("Valor").fill("1.249,90");
  await page.getByRole("button", { name: "Gerar link de pagamento" }).click();
  await page.getByRole("heading", { name: "Link pronto" }).waitFor();
  assert.equal(desk.sent("POST", "/api/v1/checkout/sessions").at(-1).body.payment.amountCents, 124990);
  await page.getByRole("button", { name: "Criar outro" }).click();
  assert.equal(await page.getByLabel("Produto").inputValue(), "");
});

test("a server that is busy or broken signs nobody out", async (t) => {
  const desk = await Desk.start(t);
  desk.api.failures.push(429, 500);
  const page = await desk.open("/seguranca");
  await page.getByRole("heading", { name: "Segurança" }).waitFor();
  assert.equal(desk.sent("GET", "/api/v1/sign-ins/current").length, 3);
});

test("typed drafts are gone after a sign-out, and in another project", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/cobrancas/nova");
  await page.getByLabel("Produto").fill("Vaso grande");
  await page.getByRole("button", { name: "Sandbox" }).click();
  await page.getByText("nenhum dinheiro é movimentado aqui").waitFor();
  assert.equal(await page.getByLabel("Produto").inputValue(), "");
  await page.getByRole("button", { name: "Produção" }).click();
  await page.getByText("nenhum dinheiro é movimentado aqui").waitFor({ state: "detached" });
  assert.equal(await page.getByLabel("Produto").inputValue(), "Vaso grande");
  await page.getByRole("button", { name: "Sair" }).click();
  await page.waitForURL("**/entrar");
  assert.deepEqual(await page.evaluate(() => Object.values(sessionStorage).filter((each) => each.includes("Vaso"))), []);
});

test("who leaves in one tab has left in all, and who comes in in one is who acts in all", async (t) => {
  const desk = await Desk.start(t);
  const first = await desk.open("/cobrancas");
  const second = await first.context().newPage();
  await second.goto(`${desk.api.url}/clientes`);
  await second.getByRole("button", { name: "Sair" }).click();
  await first.waitForURL("**/entrar?volta=*");
  assert.equal(await first.locator("table").count(), 0);
  await fillSignIn(second);
  await second.getByRole("button", { name: "Entrar", exact: true }).click();
  await second.getByRole("heading", { name: "Visão geral" }).waitFor();
  await first.goto(`${desk.api.url}/cobrancas`);
  await first.locator("table").waitFor();
  await second.evaluate(() => localStorage.setItem("pixledger.signedIn", "cmwquser00000000000000002"));
  await first.getByRole("heading", { name: "Visão geral" }).waitFor();
});

test("own sign-ins are listed and ended, passkeys are added and removed", async (t) => {
  const desk = await Desk.start(t);
  const page = await desk.open("/seguranca");
  await addAuthenticator(page);
  await page.getByRole("row", { name: /iPhone.*Código de recuperação/ }).waitFor();
  await page.getByRole("button", { name: "Encerrar: Safari, iPhone, 198.51.100.4" }).click();
  await page.getByText("Safari, iPhone").waitFor({ state: "detached" });
  // Without confirmation the device makes no passkey that the server does not know.
  desk.api.stale = true;
  await page.getByRole("button", { name: "Adicionar chave de acesso" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Criar chave de acesso" }).click();
  await page.getByRole("dialog", { name: "Confirme que é você" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("É preciso confirmar de novo que é você.").waitFor();
  assert.equal(desk.sent("POST", "/api/v1/sign-ins/challenge").length, 0);
  desk.api.stale = false;
  await page.getByLabel("Nome da chave").fill("Balcão");
  await page.getByRole("dialog").getByRole("button", { name: "Criar chave de acesso" }).click();
  await page.getByRole("cell", { name: "Balcão", exact: true }).waitFor();
  await page.getByRole("button", { name: "Remover: Balcão" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remover" }).click();
  await page.getByRole("cell", { name: "Balcão", exact: true }).waitFor({ state: "detached" });
  assert.equal(desk.api.passkeys.length, 1);
});
