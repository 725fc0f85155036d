// The dashboard's process: its files, what it passes on to the API and back, and what it does when either side goes away.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { Dashboard } from "./dashboard.mjs";
import { eventually, send, Site } from "./site.mjs";

const html = { Accept: "text/html,*/*;q=0.8", "Sec-Fetch-Site": "none" };
const of = (document, pattern) => pattern.exec(document)[1];

// What a client says that is no browser, byte for byte; all that is answered.
function raw(site, bytes) {
  return new Promise((resolve, reject) => {
    const socket = connect(site.port, "127.0.0.1");
    let text = "";
    socket.on("data", (part) => { text += part.toString("latin1"); });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
    socket.write(Buffer.from(bytes, "latin1"));
  });
}
const statuses = (text) => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
const lines = (site, first, more = []) =>
  [first, `Host: ${site.host}`, "Sec-Fetch-Site: same-origin", "Connection: close", ...more].join("\r\n") + "\r\n\r\n";

test("the document names its files by what is in them, and all addresses of pages have it", async (t) => {
  const site = await Dashboard.start(t);
  const first = await site.get("/", html);
  assert.equal(first.status, 200);
  assert.equal(first.headers["content-type"], "text/html; charset=utf-8");
  const script = of(first.text, /src="(\/assets\/dashboard-[0-9a-f]{16}\.js)"/);
  const style = of(first.text, /href="(\/assets\/dashboard-[0-9a-f]{16}\.css)"/);
  for (const path of ["/cobrancas", "/cobrancas/c123?status=PAID", "/docs", "/entrar"]) {
    const page = await site.get(path, html);
    assert.equal(page.status, 200);
    assert.equal(page.text, first.text);
  }
  let bytes = 0;
  for (const path of ["/", script, style]) {
    const plain = await site.get(path, html);
    const small = await site.get(path, { ...html, "Accept-Encoding": "br, gzip" });
    assert.equal(small.headers["content-encoding"], "gzip");
    assert.equal(small.headers.vary, "Accept-Encoding");
    assert.equal(gunzipSync(small.bytes).toString(), plain.text);
    assert.equal((await site.get(path, { ...html, "Accept-Encoding": "gzip;q=0" })).headers["content-encoding"], undefined);
    bytes += small.bytes.length;
  }
  assert.ok(bytes <= 120 * 1024, `${bytes} bytes`);
  // The audit page's request to save the verifier.
  const verifier = of((await site.get(script)).text, /"(\/assets\/verifier-[0-9a-f]{16}\.js)"/);
  assert.match((await site.get(verifier)).text, /data-verdict/);
  for (const path of [script, style, verifier]) {
    const file = await site.get(path);
    assert.equal(file.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(file.headers["x-content-type-options"], "nosniff");
    assert.equal(file.headers["cross-origin-resource-policy"], "same-origin");
  }
  assert.equal(first.headers["cache-control"], "no-cache");
  const again = await site.get("/", { ...html, "If-None-Match": first.headers.etag });
  assert.equal(again.status, 304);
  assert.equal(again.bytes.length, 0);
  assert.equal((await site.get("/favicon.ico")).status, 204);
});

test("the document's headers let it do what it does, and nothing else", async (t) => {
  const site = await Dashboard.start(t);
  const { headers } = await site.get("/", html);
  const policy = new Map(headers["content-security-policy"].split(";").map((each) => each.trim().split(/ (.*)/s)));
  const expected = { "default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'", "img-src": "'self' data:",
    "form-action": "'none'", "base-uri": "'none'", "frame-ancestors": "'none'" };
  for (const [name, value] of Object.entries(expected)) assert.equal(policy.get(name), value);
  assert.ok(!headers["content-security-policy"].includes("unsafe-"));
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["referrer-policy"], "no-referrer");
  assert.equal(headers["cross-origin-opener-policy"], "same-origin");
  assert.equal(headers["cross-origin-resource-policy"], "same-origin");
  assert.match(headers["permissions-policy"], /publickey-credentials-get=\(self\), publickey-credentials-create=\(self\)/);
  assert.ok(!/=\*|=\(\*\)/.test(headers["permissions-policy"]));
  for (const name of Object.keys(headers)) assert.ok(!name.startsWith("access-control-"));
});

test("the guide's pages are of this address alone, and need neither sign-in nor API", async (t) => {
  const site = await Dashboard.start(t);
  for (const path of ["/docs/guide", "/docs/guide/", "/docs/guide/pt", "/docs/guide/first-charge"]) {
    const page = await site.get(path, { ...html, Cookie: null });
    assert.equal(page.status, 200, path);
    assert.equal(page.headers["content-type"], "text/html; charset=utf-8");
    assert.match(page.headers["content-security-policy"], /^default-src 'none'; style-src 'self'; img-src 'self';/);
    assert.doesNotMatch(page.text, /<script|<style| style=|(?:src|href)="(?!\/|#)[^"]*\.(?:js|css|svg|webp)/);
    assert.equal((await site.get(path, { ...html, "If-None-Match": page.headers.etag })).status, 304);
  }
  assert.equal((await site.get("/docs/guide/none", html)).status, 404);
  assert.equal((await site.send("/docs/guide", { method: "POST", headers: html })).status, 405);
});

test("of payers' pages the dashboard's address has nothing, and theirs nothing of the dashboard", async (t) => {
  const site = await Dashboard.start(t);
  for (const path of ["/pay/button.js", "/pay/assets/pay.js"]) assert.equal((await site.get(path)).status, 404);
  assert.equal((await site.get("/api/v1/payer/changes")).status, 404);
  assert.equal(site.api.of("/api/v1/payer/changes").length, 0);
  const pay = await Site.start(t, ["--dashboard-listen", "127.0.0.1:0"]);
  for (const path of ["/", "/cobrancas", "/openapi.json", "/api/v1/transactions", of((await site.get("/", html)).text, /src="([^"]+)"/)])
    assert.equal((await send(pay.url + path, { headers: { ...html, "Sec-Fetch-Site": "same-origin" } })).status, 404);
  // Both of one process, each with its own port.
  const both = Number(/"the dashboard is served","address":"[^"]*:(\d+)"/.exec(pay.log)[1]);
  assert.notEqual(both, pay.port);
  assert.equal((await send(`http://127.0.0.1:${both}/entrar`, { headers: { Host: `localhost:${both}`, Accept: "text/html" } })).status, 200);
});

test("addresses that are none, methods that do not fit, and the name that passkeys need", async (t) => {
  const site = await Dashboard.start(t);
  assert.equal((await site.get("/robots.txt", { Accept: "*/*" })).status, 404);
  assert.equal((await site.get("/assets/dashboard-0000000000000000.js")).status, 404);
  assert.equal((await site.get("/assets/../x", html)).status, 404);
  assert.equal((await site.get("//evil.example/", html)).status, 404);
  assert.equal((await site.send("/", { method: "POST", headers: html })).status, 405);
  const named = await site.get("/cobrancas?status=paid&page=2", { ...html, Host: `127.0.0.1:${site.port}` });
  assert.equal(named.status, 307);
  assert.equal(named.headers.location, `http://localhost:${site.port}/cobrancas?status=paid&page=2`);
  assert.equal((await site.get("/api/v1/me", { Host: `127.0.0.1:${site.port}` })).status, 403);
});

test("a sign-in becomes a cookie that no script reads, and its token is in no answer and no log", async (t) => {
  const site = await Dashboard.start(t);
  const refused = await site.post("/api/v1/sign-ins", { email: "ana@example.com" });
  assert.equal(refused.status, 401);
  assert.equal(refused.headers["set-cookie"], undefined);
  const answer = await site.signIn();
  const [token] = site.api.tokens;
  assert.deepEqual(answer.headers["set-cookie"], [`pixledger=${token}; Path=/; HttpOnly; SameSite=Strict`]);
  assert.deepEqual(answer.json, { success: true, data: { signInId: "s1", user: { email: "ana@example.com" }, projects: [] } });
  assert.equal(answer.headers["access-control-allow-origin"], undefined);
  assert.equal(answer.headers["cache-control"], "no-store");
  const me = await site.get("/api/v1/me/passkeys", { "Pixledger-Project": "p1", "Pixledger-Environment": "sandbox" });
  assert.equal(me.json.data.as, "a user");
  const asked = site.api.of("/api/v1/me/passkeys")[0];
  assert.equal(asked.headers.authorization, `Bearer ${token}`);
  assert.equal(asked.headers["pixledger-web-key"], site.api.key);
  assert.equal(asked.headers["pixledger-caller-address"], "127.0.0.1");
  assert.equal(asked.headers["pixledger-project"], "p1");
  assert.equal(asked.headers.cookie, undefined);
  // Who signs in again does not do so as who they are.
  await site.post("/api/v1/sign-ins", { email: "ana@example.com" });
  assert.equal(site.api.of("/api/v1/sign-ins").at(-1).headers.authorization, undefined);
  site.child.kill("SIGTERM");
  assert.equal(await site.ended, 0);
  for (const secret of [...site.api.tokens, site.api.key, "planted password", "ana@example.com"]) assert.ok(!site.log.includes(secret), secret);
});

test("signing out, and a sign-in that has ended, take the cookie away; a confirmation that fails does not", async (t) => {
  const site = await Dashboard.start(t);
  await site.signIn();
  const failed = await site.post("/api/v1/sign-ins/current/confirm", { password: "x" });
  assert.equal(failed.status, 401);
  assert.equal(failed.headers["set-cookie"], undefined);
  const out = await site.send("/api/v1/sign-ins/current", { method: "DELETE" });
  assert.equal(out.status, 200);
  const cleared = ["pixledger=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"];
  assert.deepEqual(out.headers["set-cookie"], cleared);
  // A stolen cookie is worthless from now on.
  const after = await site.get("/api/v1/sign-ins/current");
  assert.equal(after.status, 401);
  assert.deepEqual(after.headers["set-cookie"], cleared);
  // What ends late may have been asked by another sign-in than the browser has by now.
  const late = await site.get("/api/v1/transactions");
  assert.equal(late.status, 401);
  assert.equal(late.headers["set-cookie"], undefined);
  const asked = site.api.asked.length;
  const without = await site.get("/api/v1/transactions", { Cookie: null });
  assert.deepEqual([without.status, without.json.code], [401, "ERR_AUTH_011"]);
  assert.equal(site.api.asked.length, asked);
});

test("with TLS the cookie is tied to the host", async (t) => {
  const site = await Dashboard.start(t, ["--dashboard-url", "https://painel.example.com"]);
  site.host = "painel.example.com";
  const answer = await site.signIn();
  const [token] = site.api.tokens;
  assert.deepEqual(answer.headers["set-cookie"], [`__Host-pixledger=${token}; Path=/; HttpOnly; SameSite=Strict; Secure`]);
  assert.equal((await site.get("/api/v1/me")).json.data.as, "a user");
  assert.equal((await site.get("/api/v1/me", { Cookie: `pixledger=${token}` })).status, 401);
  // Of another scheme, the same host is another origin.
  assert.equal((await site.get("/api/v1/me", { "Sec-Fetch-Site": null, Origin: "http://painel.example.com" })).status, 403);
});

test("an answer of a sign-in that has a token where none should be is kept back", async (t) => {
  const site = await Dashboard.start(t);
  site.api.takes = true;
  site.api.answersToken = "not a token";
  const answer = await site.post("/api/v1/sign-ins", {});
  assert.equal(answer.status, 503);
  assert.ok(!answer.text.includes("not a token"));
  await eventually(() => site.log.includes("the API answered of a sign-in what is not passed on"));
});

test("pages of other origins can neither ask nor change anything", async (t) => {
  const site = await Dashboard.start(t);
  await site.signIn();
  const before = site.api.asked.length;
  const evil = [
    { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" }, { "Sec-Fetch-Site": "same-site", Origin: "https://pay.example.com" },
    { "Sec-Fetch-Site": "none" }, { "Sec-Fetch-Site": null }, { "Sec-Fetch-Site": null, Origin: "null" },
    { "Sec-Fetch-Site": null, Origin: "https://evil.example" }, { Origin: "https://evil.example" }, { Host: "evil.example" },
    { "Sec-Fetch-Site": null, Origin: `http://localhost:${site.port + 1}` }, { "Sec-Fetch-Site": "SAME-ORIGIN" },
  ];
  for (const headers of evil) {
    for (const method of ["GET", "POST", "DELETE", "PATCH"]) {
      const answer = await site.send("/api/v1/transactions", { method, headers, json: method === "GET" ? undefined : {} });
      assert.equal(answer.status, 403, JSON.stringify(headers));
      assert.equal(answer.json.code, "ERR_AUTH_014");
    }
    assert.equal((await site.get("/openapi.json", headers)).status, 403);
  }
  // No CORS: a preflight gets no permission.
  const asked = await site.send("/api/v1/transactions", { method: "OPTIONS", headers: { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example", "Access-Control-Request-Method": "POST" } });
  assert.equal(asked.status, 403);
  for (const name of Object.keys(asked.headers)) assert.ok(!name.startsWith("access-control-"));
  assert.equal(site.api.asked.length, before);
  assert.equal((await site.get("/metrics")).text.match(/pixledger_web_dashboard_refused_total\{limit="cross_site"\} (\d+)/)[1], String(evil.length * 5 + 1));
  // Browsers from before there was Sec-Fetch-Site.
  assert.equal((await site.get("/api/v1/transactions", { "Sec-Fetch-Site": null, Origin: `http://localhost:${site.port}` })).status, 200);
});

test("bodies are JSON, of at most 64 KiB, and forms are none", async (t) => {
  const site = await Dashboard.start(t);
  await site.signIn();
  const before = site.api.asked.length;
  for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", "application/json-x"])
    assert.equal((await site.send("/api/v1/x", { method: "POST", body: "{}", headers: { "Content-Type": type } })).status, 415);
  assert.equal((await site.send("/api/v1/x", { method: "POST", body: "{}", headers: { "Content-Type": null } })).status, 415);
  assert.equal(site.api.asked.length, before);
  const full = JSON.stringify({ a: "x".repeat(64 * 1024 - 8) });
  assert.equal(full.length, 64 * 1024);
  assert.equal((await site.send("/api/v1/x", { method: "POST", body: full })).status, 200);
  assert.equal(site.api.of("/api/v1/x")[0].body, full);
  assert.equal((await site.send("/api/v1/x", { method: "POST", body: `${full} ` })).status, 413);
  assert.equal((await site.send("/api/v1/y", { method: "POST" })).status, 200);
  assert.equal(site.api.of("/api/v1/y")[0].headers["content-length"], "0");
  assert.equal(site.api.of("/api/v1/x").length, 1);
});

test("a file goes to the operation that takes one, as it is and of at most 8 MiB, and to no other", async (t) => {
  const site = await Dashboard.start(t);
  await site.signIn();
  // Whom the API does not know yet has no room for files.
  const unknown = await site.send("/api/v1/reconciliations", { method: "POST", body: "x".repeat(100_000), headers: { "Content-Type": "application/octet-stream" } });
  assert.equal(unknown.status, 413);
  await site.get("/api/v1/me");
  const before = site.api.asked.length;
  const send = (path, body) => site.send(path, { method: "POST", body, headers: { "Content-Type": "application/octet-stream" } });
  const file = "<OFX>".padEnd(5 * 1024 * 1024, "x");
  assert.equal((await send("/api/v1/reconciliations?format=ofx", file)).status, 200);
  const [asked] = site.api.of("/api/v1/reconciliations");
  assert.equal(asked.headers["content-type"], "application/octet-stream");
  assert.ok(asked.body === file);
  assert.equal((await send("/api/v1/reconciliations", "x".repeat(8 * 1024 * 1024 + 1))).status, 413);
  assert.equal((await send("/api/v1/x", "x")).status, 415);
  assert.equal(site.api.asked.length, before + 1);
});

test("headers and paths that mean something else to the next reader go nowhere", async (t) => {
  const site = await Dashboard.start(t);
  await site.signIn();
  const known = new Set(site.api.asked.map(({ url }) => url));
  const paths = ["/api/../api/v1/members", "/api/v1/./members", "//api/v1/members", "/api//v1/members", "/api/v1/%2e%2e/members", "/api/v1%2Fmembers",
    "/api/%76%31/members", "/api/v1/payer/changes", "/api/v1/payer", "/api/v1/%70ayer/changes", "/api/v1/x\\y", "/api/v1/%5c", "/api/v1/%00", "/api/v1/%0d%0aX-Y:z", "/api/v1/%zz"];
  for (const path of paths) {
    const answer = await raw(site, lines(site, `GET ${path} HTTP/1.1`, [`Cookie: ${site.cookie}`]));
    assert.ok([400, 404].includes(statuses(answer)[0]), `${path}: ${answer}`);
  }
  const heads = [
    ["GET /api/v1/x HTTP/1.1", ["Authorization: Bearer sk_live_1"]],
    ["GET /api/v1/x HTTP/1.1", ["Pixledger-Project: a", "Pixledger-Project: b"]],
    ["GET /api/v1/x HTTP/1.1", ["Accept: application/json\u00e9"]],
    ["GET /api/v1/x HTTP/1.1", ["Content-Length: 5", "Transfer-Encoding: chunked"]],
    ["POST /api/v1/x HTTP/1.1", ["Content-Length: 2", "Content-Length: 2"]],
    ["GET /api/v1/x HTTP/1.1", ["Prefer : wait=1"]],
    ["GET /api/v1/x HTTP/1.1", ["Prefer: a", " folded: b"]],
    ["GET /api/v1/x HTTP/1.1", ["Sec-Fetch-Site: cross-site"]],
    ["GET /api/v1/x\u00e9 HTTP/1.1", []], ["GET /api/v1/x?a=\u00e9 HTTP/1.1", []], ["GET /api/v1/x?a=#b HTTP/1.1", []],
  ];
  for (const [first, more] of heads) {
    const [status] = statuses(await raw(site, lines(site, first, more)));
    assert.ok(status >= 400 && status < 500, `${first} ${more}: ${status}`);
  }
  // A request inside of another one's body is that body.
  const inner = "GET /api/v1/members HTTP/1.1\r\nHost: x\r\n\r\n";
  const answer = await raw(site, lines(site, "POST /api/v1/y HTTP/1.1", ["Content-Type: application/json", `Cookie: ${site.cookie}`, `Content-Length: ${inner.length}`]) + inner);
  assert.deepEqual(statuses(answer), [200]);
  assert.equal(site.api.of("/api/v1/y")[0].body, inner);
  assert.deepEqual(site.api.asked.filter(({ url }) => !known.has(url)).map(({ url }) => url), ["/api/v1/y"]);
  // What a browser may not say for itself is not said for it.
  await site.get("/api/v1/z?a=1&b=%2F", { "Pixledger-Web-Key": "wk_x", "Pixledger-Caller-Address": "10.0.0.1", "X-Forwarded-For": "10.0.0.1", Forwarded: "for=10.0.0.1",
    Referer: "https://x/", "X-Api-Key": "k", Connection: "keep-alive, Pixledger-Caller-Address", Prefer: "handling=lenient", "Last-Event-ID": "e1" });
  const { headers, rawHeaders, url } = site.api.of("/api/v1/z")[0];
  assert.equal(url, "/api/v1/z?a=1&b=%2F");
  assert.equal(headers["pixledger-web-key"], site.api.key);
  assert.equal(headers["pixledger-caller-address"], "127.0.0.1");
  assert.equal(headers.prefer, "handling=lenient");
  assert.equal(headers["last-event-id"], "e1");
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
  assert.deepEqual(names.sort(), ["authorization", "host", "last-event-id", "pixledger-caller-address", "pixledger-web-key", "prefer", "x-request-id"]);
});

test("an answer is what the API said, of a type and with headers that do no harm", async (t) => {
  const site = await Dashboard.start(t);
  await site.signIn();
  const limited = await site.get("/api/v1/rate", { "X-Request-Id": "mine-1" });
  assert.equal(limited.status, 429);
  assert.equal(limited.headers["retry-after"], "17");
  assert.equal(limited.headers["x-request-id"], "mine-1");
  assert.equal(limited.headers["access-control-allow-origin"], undefined);
  assert.equal(limited.headers.location, undefined);
  const page = await site.get("/api/v1/page");
  assert.equal(page.headers["content-type"], "application/octet-stream");
  assert.match(page.headers["content-security-policy"], /default-src 'none'.*sandbox/);
  assert.equal(page.headers["set-cookie"], undefined);
});

test("who calls is known by a trusted proxy, and by nobody else", async (t) => {
  const site = await Dashboard.start(t, ["--trusted-proxy", "127.0.0.0/8"]);
  await site.signIn();
  await site.get("/api/v1/x", { "X-Forwarded-For": "192.0.2.7" });
  assert.equal(site.api.of("/api/v1/x")[0].headers["pixledger-caller-address"], "192.0.2.7");
});

test("while the API is away requests are told so at once, and it is found again by itself", async (t) => {
  const site = await Dashboard.start(t);
  await site.signIn();
  const { port } = site.api;
  const stream = site.open("/api/v1/events");
  const held = site.send("/api/v1/held");
  await eventually(() => stream.text && site.api.heldBack.length === 1);
  await site.api.stop();
  await eventually(() => stream.ended === "cut");
  assert.equal((await held).status, 503);
  const away = await site.post("/api/v1/transactions", {});
  assert.equal(away.status, 503);
  assert.ok(Number(away.headers["retry-after"]) > 0);
  assert.equal(away.headers["set-cookie"], undefined);
  assert.equal((await site.get("/", html)).status, 200);
  await eventually(async () => (await site.get("/readyz")).status === 503);
  await site.api.start(port);
  await eventually(async () => (await site.get("/api/v1/transactions")).status === 200);
  await eventually(async () => (await site.get("/readyz")).status === 200);
  // Nothing that changes something was sent twice.
  assert.ok(site.api.of("/api/v1/transactions").filter(({ method }) => method === "POST").length <= 1);
});

test("killed and started again it knows all that it has to", async (t) => {
  const site = await Dashboard.start(t);
  await site.signIn();
  site.child.kill("SIGKILL");
  await site.ended;
  site.log = "";
  await site.run(`127.0.0.1:${site.port}`);
  assert.equal((await site.get("/api/v1/me")).json.data.as, "a user");
});
