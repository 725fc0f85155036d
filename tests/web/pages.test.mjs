// What payers' pages say and do without a browser.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { pixCode } from "./payer_api.mjs";
import { Site } from "./site.mjs";

const stateOf = (page) => /<main[^>]* data-state="([^"]*)"/.exec(page.text)?.[1];

test("each state has its words in both languages, and only a code that can be paid is shown", async (t) => {
  const site = await Site.start(t);
  const words = {
    form: ["Seus dados", "Your details"], waiting: ["Aguardando pagamento", "Waiting for payment"],
    processing: ["Pagamento em análise", "Payment being checked"], paid: ["Pago", "Paid"],
    review: ["Recebemos; a loja vai confirmar ou devolver", "We have it; the shop will confirm or return it"],
    expired: ["Expirado", "Expired"], cancelled: ["Cancelado", "Cancelled"],
    failed: ["Não foi possível concluir", "It could not be completed"], refunded: ["Devolvido", "Refunded"],
    partially_refunded: ["Devolvido em parte", "Partly refunded"],
  };
  for (const [state, [portuguese, english]] of Object.entries(words)) {
    for (const [locale, expected] of [["pt-BR", portuguese], ["en", english]]) {
      const page = await site.get(`/pay/${site.api.add(state, { locale })}`);
      assert.equal(page.status, 200);
      assert.equal(stateOf(page), state);
      assert.ok(page.text.includes(`<h1>${expected}</h1>`), `${state} ${locale}`);
      assert.equal(page.text.includes(pixCode), state === "waiting");
      assert.equal(page.text.includes('class="qr"'), state === "waiting");
      assert.ok(page.text.includes(locale === "en" ? "R$ 19.90" : "R$ 19,90"));
    }
  }
  const gone = await site.get("/pay/nothing", { "Accept-Language": "fr, en;q=0.5" });
  assert.equal(gone.status, 404);
  assert.equal(stateOf(gone), "gone");
  assert.ok(gone.text.includes("This link does not exist any more"));
});

test("what shops and payers are called is never markup", async (t) => {
  const site = await Site.start(t);
  const nasty = `<script>alert(1)</script>"'&`;
  const token = site.api.add("paid", { payment: { amountCents: 1, description: nasty },
    customer: { name: nasty, document: nasty }, store: { name: nasty, supportContact: `javascript:${nasty}`, payerProofs: true } });
  for (const page of [await site.get(`/pay/${token}`), await site.get(`/pay/${token}/receipt`)]) {
    assert.equal(page.status, 200);
    assert.ok(!page.text.includes("<script>alert"));
    assert.ok(!/href="javascript/.test(page.text));
    assert.ok(page.text.includes("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
  }
});

test("the policy names the style by its digest and nothing unsafe, and one request renders the page", async (t) => {
  const site = await Site.start(t);
  const page = await site.get(`/pay/${site.api.add("waiting", { store: { color: "#ffee00" } })}`);
  const policy = page.headers["content-security-policy"];
  const style = /<style>([^]*?)<\/style>/.exec(page.text)[1];
  assert.ok(policy.startsWith("default-src 'none'"));
  assert.ok(policy.includes(`'sha256-${createHash("sha256").update(style).digest("base64")}'`));
  assert.ok(!policy.includes("unsafe-"));
  assert.ok(policy.includes("frame-ancestors 'none'"));
  assert.ok(style.includes("--brand:#ffee00;--on:#000000"));
  assert.equal(page.text.match(/<style/g).length, 1);
  assert.ok(!/ style=| on[a-z]+=/.test(page.text));
  assert.ok(!/(src|href)="https?:/.test(page.text));
  const script = /<script defer src="([^"]+)"/.exec(page.text)[1];
  const answer = await site.get(`/pay/${script}`);
  assert.equal(answer.status, 200);
  assert.ok(answer.bytes.length <= 5 * 1024);
  assert.ok(answer.headers["cache-control"].includes("immutable"));
  assert.equal((await site.get("/pay/assets/pay.0000000000000000.js")).status, 404);
  assert.ok((await site.get("/pay/button.js")).bytes.length <= 3 * 1024);
});

test("a shop is shown with its name, its logo and how to reach it", async (t) => {
  const site = await Site.start(t);
  const logo = site.api.setLogo(randomBytes(24 * 1024));
  const contact = async (supportContact) => (await site.get(`/pay/${site.api.add("waiting", { store: { supportContact, logo } })}`)).text;
  const page = await contact("ajuda@loja.example");
  assert.match(page, /<div class="shop"><img [^>]+><p>Loja Exemplo<\/p>/);
  assert.ok(page.includes('href="mailto:ajuda@loja.example"'));
  assert.ok((await contact("https://loja.example/ajuda")).includes('href="https://loja.example/ajuda"'));
  assert.ok((await contact("(81) 3333-4444")).includes("<span>Ajuda da loja: (81) 3333-4444</span>"));
  assert.ok(gzipSync(page).length + 24 * 1024 <= 60 * 1024);
});

test("the language is the session's, else the address's, else the browser's, else Portuguese", async (t) => {
  const site = await Site.start(t);
  const lang = async (locale, query, accepted) => {
    const headers = accepted ? { "Accept-Language": accepted } : {};
    return /<html lang="([^"]*)"/.exec((await site.get(`/pay/${site.api.add("waiting", { locale })}${query}`, headers)).text)[1];
  };
  assert.equal(await lang("pt-BR", "?lang=en", "en"), "pt-BR");
  assert.equal(await lang("en", "?lang=pt-BR", "pt"), "en");
  assert.equal(await lang(null, "?lang=en", "pt"), "en");
  assert.equal(await lang(null, "", "de, en;q=0.8, pt;q=0.9"), "pt-BR");
  assert.equal(await lang(null, "", "en-GB"), "en");
  assert.equal(await lang(null, "", "de"), "pt-BR");
  assert.equal(await lang(null, "", ""), "pt-BR");
});

test("the form takes what people write, sends it bare, and says what is wrong", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("form");
  const form = { name: " Ana Lima ", document: "529.982.247-25", email: "ana@example.com", phone: "+55 (11) 98765-4321" };
  const wrong = await site.post(`/pay/${token}/customer`, { ...form, document: "123", email: "a<b" });
  assert.equal(wrong.status, 400);
  assert.ok(wrong.text.includes("Confira o CPF ou CNPJ"));
  assert.ok(wrong.text.includes("Confira o e-mail"));
  assert.ok(!wrong.text.includes("Confira o telefone"));
  assert.ok(wrong.text.includes('value="a&lt;b"'));
  const good = await site.post(`/pay/${token}/customer`, form);
  assert.equal(good.status, 303);
  assert.equal(new URL(good.headers.location, site.page(token, "/customer")).pathname, `/pay/${token}`);
  const { body } = site.api.asked.filter(({ method }) => method === "POST").at(-1);
  assert.deepEqual(body, { name: "Ana Lima", document: "52998224725", email: "ana@example.com", phone: "5511987654321", customerIp: "127.0.0.1" });
  assert.equal(stateOf(await site.get(`/pay/${token}`)), "waiting");
  const blocked = await site.post(`/pay/${site.api.add("form")}/customer`, { ...form, document: "111.444.777-35" });
  assert.equal(blocked.status, 403);
  assert.ok(blocked.text.includes("Fale com a loja"));
  assert.ok(!blocked.text.includes("<form"));
  assert.ok(!blocked.text.includes("Ana Lima"));
});

test("a new code is made, and the payment simulated, without JavaScript", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("expired");
  const expired = await site.get(`/pay/${token}`);
  assert.ok(expired.text.includes("Gerar novo código"));
  assert.ok(expired.text.includes("Ambiente de testes"));
  assert.equal((await site.post(`/pay/${token}/charges`, {})).status, 303);
  const waiting = await site.get(`/pay/${token}`);
  assert.ok(waiting.text.includes("Simular pagamento"));
  assert.match(waiting.text, /<noscript><meta http-equiv="refresh" content="[1-9]">/);
  assert.equal((await site.post(`/pay/${token}/simulate`, {})).status, 303);
  assert.equal(stateOf(await site.get(`/pay/${token}`)), "paid");
  const none = site.api.add("expired", { canRenew: false });
  assert.ok(!(await site.get(`/pay/${none}`)).text.includes("Gerar novo código"));
  const refused = await site.post(`/pay/${none}/charges`, {});
  assert.equal(refused.status, 400);
  assert.ok(refused.text.includes("Não é possível gerar outro código"));
  const live = site.api.add("waiting", { environment: "live" });
  assert.ok(!(await site.get(`/pay/${live}`)).text.includes("Simular pagamento"));
});

test("another origin can neither post nor frame", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("expired", { store: { embedOrigins: ["https://loja.example", "http://localhost:3000"] } });
  const post = (headers) => site.post(`/pay/${token}/charges`, {}, headers);
  assert.equal((await post({ "Sec-Fetch-Site": "cross-site" })).status, 403);
  assert.equal((await post({ "Sec-Fetch-Site": "same-site" })).status, 403);
  assert.equal((await post({ Origin: "https://evil.example" })).status, 403);
  assert.equal((await post({ Origin: "null" })).status, 403);
  assert.equal((await site.post(`/pay/${token}/charges`, {}, { "Content-Type": "text/plain" })).status, 415);
  assert.equal(site.api.asked.filter(({ method }) => method === "POST").length, 0);
  const policy = async (what) => (await site.get(`/pay/${token}${what}`)).headers["content-security-policy"];
  assert.match(await policy(""), /frame-ancestors 'none'$/);
  assert.match(await policy("?embed=1"), /frame-ancestors 'none'$/);
  assert.match(await policy("/embed"), /frame-ancestors https:\/\/loja.example http:\/\/localhost:3000$/);
  const live = site.api.add("waiting", { environment: "live", store: { embedOrigins: ["https://loja.example", "http://localhost:3000"] } });
  assert.match((await site.get(`/pay/${live}/embed`)).headers["content-security-policy"], /frame-ancestors https:\/\/loja.example$/);
  const parentOf = async (origin) => /data-parent="([^"]*)"/.exec((await site.get(`/pay/${token}/embed?origin=${encodeURIComponent(origin)}`)).text)?.[1];
  assert.equal(await parentOf("https://loja.example"), "https://loja.example");
  assert.equal(await parentOf("https://evil.example"), undefined);
  assert.equal((await post({ Origin: site.url })).status, 303);
});

test("a receipt is for what was paid, and links the proof where the shop shows it", async (t) => {
  const site = await Site.start(t);
  const waiting = await site.get(`/pay/${site.api.add("waiting")}/receipt`);
  assert.equal(waiting.status, 303);
  const plain = await site.get(`/pay/${site.api.add("paid")}/receipt`);
  assert.ok(plain.text.includes("E18236120202603011200s1a2b3c4d5e"));
  assert.ok(plain.text.includes("***.982.247-**"));
  assert.ok(!plain.text.includes("/proof"));
  const token = site.api.add("paid", { store: { payerProofs: true } });
  assert.ok((await site.get(`/pay/${token}/receipt`)).text.includes(`../${token}/proof`));
  const proof = await site.get(`/pay/${token}/proof`);
  assert.equal(proof.headers["content-type"], "application/json");
  assert.ok(JSON.parse(proof.text).proof);
});

test("a logo is served by its digest, in a sandbox, for ever", async (t) => {
  const site = await Site.start(t);
  const logo = site.api.setLogo(Buffer.from("89504e470d0a1a0a", "hex"));
  const token = site.api.add("waiting", { store: { logo } });
  const src = /<img alt="" src="([^"]+)"/.exec((await site.get(`/pay/${token}`)).text)[1];
  const answer = await site.get(`/pay/${src}`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-type"], "image/png");
  assert.ok(answer.headers["content-security-policy"].startsWith("sandbox"));
  assert.ok(answer.headers["cache-control"].includes("immutable"));
  assert.equal((await site.get(`/pay/${token}/logo/${"0".repeat(64)}`)).status, 404);
});

test("a page that has not changed is not sent again", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("waiting");
  const { etag } = (await site.get(`/pay/${token}`)).headers;
  assert.equal((await site.get(`/pay/${token}`, { "If-None-Match": etag })).status, 304);
  site.api.change(token, "paid");
  assert.equal((await site.get(`/pay/${token}`, { "If-None-Match": etag })).status, 200);
});

test("a code that a bank has still to make is waited for", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("waiting");
  const { charge } = site.api.sessions.get(token);
  charge.pixCode = null;
  const page = await site.get(`/pay/${token}`);
  assert.equal(stateOf(page), "waiting");
  assert.ok(page.text.includes("O código está sendo gerado"));
  assert.ok(!page.text.includes("Copiar"));
});

test("the way back is offered, and taken by itself only by a script", async (t) => {
  const site = await Site.start(t);
  const returnUrl = "https://loja.example/ok?session=c1&transaction=c2&status=PAID&t=1&sig=abc";
  const page = await site.get(`/pay/${site.api.add("paid", { returnUrl })}`);
  assert.ok(page.text.includes(`href="${returnUrl.replaceAll("&", "&amp;")}"`));
  assert.ok(page.text.includes("Ficar nesta página"));
  assert.ok(page.text.includes("data-return"));
  assert.ok(!page.text.includes('http-equiv="refresh"'));
  const token = site.api.add("paid", { returnUrl });
  const framed = await site.get(`/pay/${token}/embed`);
  assert.ok(framed.text.includes('target="_top"'));
  assert.ok(!framed.text.includes("data-return"));
});
