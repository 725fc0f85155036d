// Limits, streams, and what the program does when the API, or itself, goes away.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { PayerApi } from "./payer_api.mjs";
import { eventually, send, Site } from "./site.mjs";

const bad = (n) => `c${"0".repeat(23 - String(n).length)}${n}x.${"A".repeat(22)}`;

// Of what a client that is no browser sends, byte for byte.
function status(site, line) {
  return new Promise((resolve, reject) => {
    const socket = connect(site.port, "127.0.0.1");
    socket.on("data", (part) => { resolve(Number(/^HTTP\/1.1 (\d+)/.exec(part.toString("latin1"))?.[1])); socket.destroy(); });
    socket.on("error", reject);
    socket.on("close", () => resolve(0));
    socket.write(Buffer.from(`${line}\r\nHost: x\r\nConnection: close\r\n\r\n`, "latin1"));
  });
}

test("pages follow their own session, begin with its state, and share one stream of the API", async (t) => {
  const site = await Site.start(t);
  const [one, other] = [site.api.add("waiting"), site.api.add("waiting")];
  const streams = [site.follow(one), site.follow(one), site.follow(other)];
  await eventually(() => streams.every(({ events }) => events.length === 1));
  assert.equal(streams[0].headers["content-type"], "text/event-stream");
  assert.deepEqual(streams[0].events[0], { event: "state", data: { tag: "1-waiting", state: "waiting" } });
  site.api.change(one, "paid");
  await eventually(() => streams[0].events.length === 2 && streams[1].events.length === 2);
  assert.deepEqual(streams[0].events[1].data, { tag: "2-paid", state: "paid" });
  assert.equal(streams[2].events.length, 1);
  assert.equal(site.api.streams.size, 1);
  assert.equal(await site.metric("pixledger_web_streams"), 3);
  for (const stream of streams) stream.close();
  await eventually(async () => (await site.metric("pixledger_web_streams")) === 0);
});

test("hundreds of pages are each told of their own session, and leave nothing behind when they go", async (t) => {
  const site = await Site.start(t, ["--trusted-proxy", "127.0.0.0/8"]);
  const tokens = Array.from({ length: 100 }, () => site.api.add("waiting"));
  const from = (i) => ({ "X-Forwarded-For": `192.0.2.${i}` });
  for (let churn = 0; churn < 3; ++churn) {
    const pages = tokens.flatMap((token, i) => Array.from({ length: 8 }, () => ({ token, stream: site.follow(token, from(i)) })));
    await eventually(() => pages.every(({ stream }) => stream.events.length === 1), 30_000);
    assert.equal(await site.metric("pixledger_web_streams"), 800);
    assert.equal(site.api.streams.size, 1);
    for (const [i, token] of tokens.entries()) site.api.change(token, i % 2 ? "processing" : "review");
    await eventually(() => pages.every(({ stream }) => stream.events.length === 2), 30_000);
    for (const { token, stream } of pages) assert.equal(stream.events[1].data.state, tokens.indexOf(token) % 2 ? "processing" : "review");
    for (const { stream } of pages) stream.close();
    await eventually(async () => (await site.metric("pixledger_web_streams")) === 0, 30_000);
  }
});

test("a token has eight streams, and room again for one that went", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("waiting");
  const streams = Array.from({ length: 8 }, () => site.follow(token));
  await eventually(() => streams.every(({ events }) => events.length === 1));
  assert.equal((await site.get(`/pay/${token}/live`)).status, 429);
  streams[0].close();
  await eventually(async () => (await site.metric("pixledger_web_streams")) === 7);
  const again = site.follow(token);
  await eventually(() => again.events.length === 1);
});

test("one address has so many open pages, whatever links it has, and keeps no other payer from theirs", async (t) => {
  const site = await Site.start(t, ["--trusted-proxy", "127.0.0.0/8"]);
  const stranger = { "X-Forwarded-For": "2001:db8:0:1::7" };
  const sameNetwork = { "X-Forwarded-For": "2001:db8:0:ff::9" };
  const streams = [];
  for (let i = 0; i < 40; ++i) {
    const token = site.api.add("waiting");
    const more = Array.from({ length: 8 }, () => site.follow(token, i % 2 ? stranger : sameNetwork));
    await eventually(() => more.every(({ status }) => status));
    streams.push(...more);
  }
  assert.equal(streams.filter(({ status }) => status === 200).length, 256);
  assert.equal(await site.metric("pixledger_web_streams"), 256);
  const token = site.api.add("waiting");
  assert.equal((await site.get(`/pay/${token}/live`, stranger)).status, 429);
  assert.equal((await site.get(`/pay/${token}`, stranger)).status, 200);
  const payer = site.follow(token, { "X-Forwarded-For": "192.0.2.1" });
  await eventually(() => payer.events.length === 1);
  for (const each of [...streams, payer]) each.close();
});

test("a token has three hundred requests a minute, and others are not held up", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("waiting");
  for (let i = 0; i < 300; ++i) assert.equal((await site.get(`/pay/${token}`)).status, 200);
  const refused = await site.get(`/pay/${token}`);
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers["retry-after"]) > 0);
  assert.equal((await site.get(`/pay/${site.api.add("waiting")}`)).status, 200);
});

test("an address that guesses is refused after thirty, and opens a good link all the same", async (t) => {
  const site = await Site.start(t, ["--trusted-proxy", "127.0.0.0/8"]);
  const from = (address) => ({ "X-Forwarded-For": address });
  for (let i = 0; i < 30; ++i) assert.equal((await site.get(`/pay/${bad(i)}`, from("192.0.2.1"))).status, 404);
  assert.equal((await site.get(`/pay/${bad(30)}`, from("192.0.2.1"))).status, 429);
  assert.equal((await site.get("/pay/short", from("192.0.2.1"))).status, 429);
  assert.equal((await site.get(`/pay/${bad(31)}`, from("192.0.2.2"))).status, 404);
  for (let i = 0; i < 30; ++i) await site.get(`/pay/${bad(i)}`, from(`2001:db8:1:1::${i + 1}`));
  assert.equal((await site.get(`/pay/${bad(0)}`, from("2001:db8:1:1:ffff::1"))).status, 429);
  const token = site.api.add("waiting");
  assert.equal((await site.get(`/pay/${token}`, from("192.0.2.1"))).status, 200);
  assert.equal(site.api.asked.at(-1).caller, "192.0.2.1");
});

test("an address that guesses on has few requests at the API at a time, and keeps nobody from their page", async (t) => {
  const site = await Site.start(t, ["--trusted-proxy", "127.0.0.0/8"]);
  const from = (address) => ({ "X-Forwarded-For": address });
  for (let i = 0; i < 30; ++i) await site.get(`/pay/${bad(i)}`, from("192.0.2.1"));
  const token = site.api.add("waiting");
  site.api.delayMs = 1_000;
  const asked = site.api.asked.length;
  const guesses = Promise.all(Array.from({ length: 200 }, (_, i) => site.get(`/pay/${bad(i)}`, from("192.0.2.1"))));
  assert.ok((await guesses).every(({ status }) => status === 429));
  assert.ok(site.api.asked.length - asked <= 8);
  site.api.delayMs = 0;
  assert.equal((await site.get(`/pay/${token}`, from("192.0.2.1"))).status, 200);
  assert.equal((await site.get(`/pay/${token}`, from("192.0.2.2"))).status, 200);
});

test("no byte in an address ends the program", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("waiting");
  for (let byte = 0x21; byte <= 0xff; ++byte) {
    const odd = Buffer.of(byte).toString("latin1");
    for (const path of [odd, `${odd}/customer`, `${token}${odd}/charges`, `${token}/${odd}`, `${token}/logo/${odd}`, `assets/${odd}`,
      `${token}?lang=${odd}&origin=${odd}`, `${token}/customer?embed=1&origin=${odd}`]) {
      for (const method of ["GET", "POST"]) assert.ok((await status(site, `${method} /pay/${path} HTTP/1.1`)) >= 200, `${method} ${byte} ${path}`);
    }
  }
  assert.equal((await site.get(`/pay/${token}/customer`)).headers.location, `../${token}`);
});

test("the API is told the id of a request, but for one that the payer chose", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("waiting");
  const answer = await site.get(`/pay/${token}`);
  assert.equal(site.api.asked.at(-1).requestId, answer.headers["x-request-id"]);
  await site.get(`/pay/${token}`, { "X-Request-Id": "52998224725" });
  assert.equal(site.api.asked.at(-1).requestId, undefined);
});

test("requests share few connections to the API, and wait for one without holding others up", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("waiting");
  const before = site.api.connections;
  for (let i = 0; i < 20; ++i) await site.get(`/pay/${token}`);
  assert.ok(site.api.connections - before <= 1);
  site.api.delayMs = 200;
  const pages = Promise.all(Array.from({ length: 100 }, () => site.get(`/pay/${token}`)));
  assert.equal((await site.get("/healthz")).status, 200);
  assert.ok((await pages).every(({ status }) => status === 200));
  assert.ok(site.api.connections - before <= 32);
});

test("while the API is away pages say so, and are right once it is back", async (t) => {
  const api = await new PayerApi().start();
  t.after(() => api.stop());
  const site = await Site.start(t, [], { api });
  const token = api.add("waiting");
  const stream = site.follow(token);
  await eventually(() => stream.events.length === 1);
  const { port } = api;
  await api.stop();
  const away = await site.get(`/pay/${token}`);
  assert.equal(away.status, 503);
  assert.match(away.text, /http-equiv="refresh"/);
  await eventually(async () => (await site.get("/readyz")).status === 503);
  api.change(token, "paid");
  await api.start(port);
  await eventually(() => stream.events.some(({ event }) => event === "look"));
  assert.ok((await site.get(`/pay/${token}`)).text.includes('data-state="paid"'));
  await eventually(async () => (await site.get("/readyz")).status === 200);
});

test("an API that answers nothing in time is given up", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("waiting");
  site.api.delayMs = 60_000;
  const page = await site.get(`/pay/${token}`);
  assert.equal(page.status, 503);
  assert.equal((await site.get("/healthz")).status, 200);
  site.api.delayMs = 0;
  assert.equal((await site.get(`/pay/${token}`)).status, 200);
});

test("another key in the file is taken when the API wants it", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("waiting");
  site.api.key = "wk_another";
  writeFileSync(site.keyFile, "wk_another\n");
  assert.equal((await site.get(`/pay/${token}`)).status, 503);
  assert.equal((await site.get(`/pay/${token}`)).status, 200);
  assert.ok(site.log.includes("the API does not take the web key"));
});

test("a key file that is missing, or has something else, ends the program with 3, and it is named", async (t) => {
  const site = await Site.start(t);
  site.kill();
  await site.ended;
  writeFileSync(site.keyFile, "root:x:0:0\n");
  await assert.rejects(site.run("127.0.0.1:0", []), /ended with 3.*no web key in .*web-key/s);
  rmSync(site.keyFile);
  await assert.rejects(site.run("127.0.0.1:0", []), /ended with 3.*web-key/s);
});

test("it ends within ten seconds, streams and waiting requests or not", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("waiting");
  const stream = site.follow(token);
  await eventually(() => stream.events.length === 1);
  site.api.delayMs = 60_000;
  const waiting = site.get(`/pay/${token}`).catch(() => ({ status: 0 }));
  await eventually(async () => (await site.metric("pixledger_web_api_waiting")) === 1);
  const asked = Date.now();
  site.kill("SIGTERM");
  assert.equal(await site.ended, 0);
  assert.ok(Date.now() - asked < 10_000);
  assert.equal((await waiting).status, 503);
});

test("no log has a token, a key or what a payer wrote", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("form");
  await site.post(`/pay/${token}/customer`, { name: "Planted Name", document: "52998224725", email: "planted@example.com", phone: "11987654321" });
  site.api.unable = 500;
  await site.get(`/pay/${token}`);
  site.kill("SIGTERM");
  await site.ended;
  for (const secret of [token, site.api.key, "Planted", "52998224725", "planted@", "11987654321"]) assert.ok(!site.log.includes(secret));
});

test("addresses that are none, and methods that do not fit", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("waiting");
  assert.equal((await site.get("/")).status, 404);
  assert.equal((await site.get(`/pay/${token}/nothing`)).status, 404);
  assert.equal((await site.get("/favicon.ico")).status, 204);
  assert.equal((await send(site.page(token), { method: "DELETE" })).status, 405);
  assert.equal((await site.get(`/pay/${token}/customer`)).status, 303);
  assert.equal((await send(site.page(token), { method: "HEAD" })).bytes.length, 0);
});

test("metrics have an address of their own where one is given", async (t) => {
  const site = await Site.start(t, ["--web-metrics-listen", "127.0.0.1:0", "--dashboard-listen", "127.0.0.1:0"]);
  assert.equal((await site.get("/metrics")).status, 404);
  const address = /metrics are served","address":"([^"]+)"/.exec(site.log)[1];
  const metrics = await send(`http://${address}/metrics`);
  assert.ok(metrics.text.includes("pixledger_web_streams 0"));
  const served = [...metrics.text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  const document = readFileSync(new URL("../../docs/reference/metrics.md", import.meta.url), "utf8");
  const listed = [...document.matchAll(/^\| `(pixledger_web_\w+)` \| (\w+)/gm)].map(([, name, type]) => `${name} ${type}`);
  assert.deepEqual(served.sort(), listed.sort());
  assert.equal((await send(`http://${address}/pay/x`)).status, 404);
});

test("a stream whose reader reads nothing is cut", async (t) => {
  const site = await Site.start(t);
  const token = site.api.add("waiting");
  const socket = connect(site.port, "127.0.0.1");
  socket.pause();
  socket.on("error", () => {});
  socket.write(`GET /pay/${token}/live HTTP/1.1\r\nHost: x\r\n\r\n`);
  await eventually(async () => (await site.metric("pixledger_web_streams")) === 1);
  // More than the systems between the two keep, and what the program may.
  await eventually(async () => {
    for (let i = 0; i < 20_000; ++i) site.api.change(token, i % 2 ? "waiting" : "processing");
    return (await site.metric("pixledger_web_streams")) === 0;
  }, 60_000);
  assert.equal(await site.metric("pixledger_web_cut_streams_total"), 1);
  socket.destroy();
});

function certificate(t, name) {
  const folder = mkdtempSync(join(tmpdir(), "pixledger-web-tls-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
    "-subj", "/CN=pixledger", "-addext", `subjectAltName=${name}`, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { cert, key, tls: { cert: readFileSync(cert), key: readFileSync(key) } };
}

test("an API with TLS is spoken to if its certificate is for it, and issued by whom it should be", async (t) => {
  const good = certificate(t, "IP:127.0.0.1");
  const api = await new PayerApi().start(0, good.tls);
  t.after(() => api.stop());
  const site = await Site.start(t, ["--ca-file", good.cert], { api });
  const token = api.add("waiting");
  assert.equal((await site.get(`/pay/${token}`)).status, 200);
  const stranger = await Site.start(t, [], { api, waits: false });
  assert.equal((await stranger.get(`/pay/${token}`)).status, 503);
  const other = certificate(t, "IP:127.0.0.2");
  const elsewhere = await new PayerApi().start(0, other.tls);
  t.after(() => elsewhere.stop());
  const misled = await Site.start(t, ["--ca-file", other.cert], { api: elsewhere, waits: false });
  assert.equal((await misled.get(`/pay/${elsewhere.add("waiting")}`)).status, 503);
});

test("pages have TLS of their own where no proxy has it for them", async (t) => {
  const { cert, key, tls } = certificate(t, "IP:127.0.0.1");
  const site = await Site.start(t, ["--tls-cert", cert, "--tls-key", key], { waits: false });
  assert.ok(site.url.startsWith("https://"));
  const token = site.api.add("waiting");
  const answer = await new Promise((resolve, reject) => get(site.page(token), { ca: tls.cert }, resolve).on("error", reject));
  answer.resume();
  assert.equal(answer.statusCode, 200);
});

test("the API's port is taken from a file, again when it is another one", async (t) => {
  const api = await new PayerApi().start();
  t.after(() => api.stop());
  const file = join(mkdtempSync(join(tmpdir(), "pixledger-web-port-")), "port");
  t.after(() => rmSync(dirname(file), { recursive: true }));
  writeFileSync(file, `${api.port}\n`);
  const site = await Site.start(t, ["--api-port-file", file], { api });
  const token = api.add("waiting");
  assert.equal((await site.get(`/pay/${token}`)).status, 200);
  await api.stop();
  await api.start();
  writeFileSync(file, `${api.port}\n`);
  // It may be called ready still from before.
  await eventually(async () => (await site.get(`/pay/${token}`)).status === 200);
  await eventually(async () => (await site.get("/readyz")).status === 200);
});
