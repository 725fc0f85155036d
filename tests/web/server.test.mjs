// Payers' pages before the server that they are made for, run by `pixledger up`.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually, send } from "./site.mjs";
import { customer, post, stateOf, World } from "./world.mjs";

// Reads the changes that a page gets, from now on.
async function follow(url, seen) {
  const answer = await fetch(`${url}/live`);
  assert.equal(answer.status, 200);
  const decoder = new TextDecoder();
  (async () => { for await (const part of answer.body) seen.text += decoder.decode(part); })().catch(() => {});
}

test("a session is opened by its link, filled in, paid, and shown with its receipt and proof", async (t) => {
  const world = await World.start(t);
  const key = join(world.data, "web-key");
  assert.equal(statSync(key).mode & 0o777, 0o600);
  const settings = await world.api("PATCH", "/api/v1/store", { payerProofs: true, supportContact: "ajuda@loja.example", color: "#123456" }, world.liveKey);
  assert.equal(settings.status, 200, JSON.stringify(settings));
  const session = await world.session({ successUrl: "https://loja.example.com/ok?pedido=7", webhookUrl: "http://127.0.0.1:9/pedidos" });
  assert.match(session.webhookSecret, /^whsec_/);
  assert.ok(session.url.startsWith(`${world.pages}/pay/${session.id}.`));
  assert.equal(stateOf(await send(session.url)), "form");
  const wrong = await post(`${session.url}/customer`, { ...customer, document: "123" });
  assert.equal(wrong.status, 400);
  assert.ok(wrong.text.includes("Confira o CPF ou CNPJ"));
  assert.ok(!wrong.text.includes("Confira o e-mail"));
  const filled = await post(`${session.url}/customer`, { ...customer, document: "529.982.247-25", phone: "(11) 98765-4321" });
  assert.equal(filled.status, 303, filled.text);
  const waiting = await send(session.url);
  assert.equal(stateOf(waiting), "waiting");
  assert.match(waiting.text, />00020[^<]+</);
  const seen = { text: "" };
  await follow(session.url, seen);
  assert.equal((await post(`${session.url}/simulate`)).status, 303);
  await eventually(() => seen.text.includes('"state":"paid"'));
  const paid = await send(session.url);
  assert.equal(stateOf(paid), "paid");
  assert.match(paid.text, /href="https:\/\/loja\.example\.com\/ok\?pedido=7&amp;session=[^"]+sig=[^"]+"/);
  const receipt = await send(`${session.url}/receipt`);
  assert.ok(receipt.text.includes("A** L***"));
  assert.ok(receipt.text.includes("***.982.247-**"));
  const secrets = [session.webhookSecret, world.key, world.liveKey, readFileSync(key, "utf8").trim()];
  for (const secret of ["Ana Lima", "52998224725", "ana@example.com", "11987654321", "/pedidos", ...secrets])
    for (const page of [waiting, paid, receipt]) assert.ok(!page.text.includes(secret) && !JSON.stringify(page.headers).includes(secret), secret);
  const proof = await send(`${session.url}/proof`);
  assert.equal(proof.status, 200);
  writeFileSync(world.file("proof"), proof.text);
  world.pixledger("check-proof", world.file("proof"));
  for (const secret of ["Ana Lima", "52998224725", "ana@example.com"]) assert.ok(!proof.text.includes(secret));
  const [, token] = session.url.split("/pay/");
  for (const secret of [token, ...secrets, "Ana Lima", "52998224725", "ana@example.com", "11987654321"]) assert.ok(!world.log.includes(secret), secret);
});

test("links that were tampered with, and sessions that are cancelled", async (t) => {
  const world = await World.start(t);
  const session = await world.session({ customer, locale: "en" });
  assert.equal((await send(session.url.replace(/.$/, (last) => (last === "A" ? "B" : "A")))).status, 404);
  assert.equal((await send(`${world.pages}/pay/${session.id}`)).status, 404);
  assert.equal((await send(`${world.pages}/pay/${session.transactionId}`)).status, 404);
  assert.equal(stateOf(await send(session.url)), "waiting");
  const seen = { text: "" };
  await follow(session.url, seen);
  assert.equal((await world.api("POST", `/api/v1/checkout/sessions/${session.id}/cancel`)).status, 200);
  await eventually(() => seen.text.includes('"state":"cancelled"'));
  const cancelled = await send(session.url);
  assert.equal(stateOf(cancelled), "cancelled");
  assert.ok(cancelled.text.includes("<h1>Cancelled</h1>"));
  assert.ok(!cancelled.text.includes("New code"));
});

test("five charges are made of a session, and a blocked payer is sent to the shop", async (t) => {
  const world = await World.start(t);
  const session = await world.session({ customer });
  for (let made = 1; made < 5; ++made) {
    const { data } = await world.api("GET", `/api/v1/checkout/sessions/${session.id}`);
    assert.equal((await world.api("POST", `/api/v1/transactions/${data.transactionId}/cancel`)).status, 200);
    assert.ok((await send(session.url)).text.includes("Gerar novo código"));
    assert.equal((await post(`${session.url}/charges`)).status, 303);
  }
  const { data } = await world.api("GET", `/api/v1/checkout/sessions/${session.id}`);
  await world.api("POST", `/api/v1/transactions/${data.transactionId}/cancel`);
  assert.ok(!(await send(session.url)).text.includes("Gerar novo código"));
  assert.equal((await post(`${session.url}/charges`)).status, 400);

  assert.equal((await world.api("POST", "/api/v1/blocklist", { type: "document", value: "11144477735", reason: "fraud" })).status, 201);
  const blocked = await world.session();
  const refused = await post(`${blocked.url}/customer`, { ...customer, document: "111.444.777-35" });
  assert.equal(refused.status, 403);
  assert.ok(refused.text.includes("Fale com a loja"));
});

test("open pages learn what happened while the server or the pages were killed", async (t) => {
  const world = await World.start(t);
  const session = await world.session({ customer });
  const seen = { text: "" };
  await follow(session.url, seen);
  process.kill(world.pidOf("pixledger-server"), "SIGKILL");
  await eventually(() => seen.text.includes("event: look"), 30_000);
  process.kill(world.pidOf("pixledger-web"), "SIGKILL");
  // The same address, or the link would be dead.
  await eventually(async () => stateOf(await send(session.url)) === "waiting", 30_000);
  assert.equal((await post(`${session.url}/simulate`)).status, 303);
  assert.equal(stateOf(await send(session.url)), "paid");
});
