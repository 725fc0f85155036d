// The dashboard before the server that it is made for, run by `pixledger up`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { eventually, send } from "./site.mjs";
import { World } from "./world.mjs";

// As a page of the dashboard asks.
async function of(world) {
  const port = await world.port("dashboard-port");
  return (path, { headers = {}, json, ...more } = {}) => send(`http://127.0.0.1:${port}${path}`, { ...more,
    headers: { Host: `localhost:${port}`, "Sec-Fetch-Site": "same-origin", ...(json ? { "Content-Type": "application/json" } : {}), ...headers },
    body: json && JSON.stringify(json) });
}

test("the server's document and refusals come through, and no key is taken for a sign-in", async (t) => {
  const world = await World.start(t);
  const ask = await of(world);
  const page = await ask("/cobrancas", { headers: { Accept: "text/html" } });
  assert.equal(page.status, 200);
  const direct = await send(`http://127.0.0.1:${await world.port("port")}/openapi.json`);
  const passed = await ask("/openapi.json", { headers: { "Accept-Encoding": "gzip" } });
  assert.equal(passed.status, 200);
  assert.equal(passed.headers["content-encoding"], "gzip");
  assert.equal(gunzipSync(passed.bytes).toString(), direct.text);
  assert.equal((await ask("/openapi.json")).text, direct.text);
  assert.equal((await ask("/openapi.json", { headers: { "Accept-Encoding": "gzip", "If-None-Match": passed.headers.etag } })).status, 304);

  const nobody = await ask("/api/v1/transactions");
  assert.equal(nobody.status, 401);
  assert.equal(nobody.headers["set-cookie"], undefined);
  const failed = await ask("/api/v1/sign-ins", { method: "POST", json: { invitation: "a".repeat(43) } });
  assert.equal(failed.status, 401, failed.text);
  assert.equal(JSON.parse(failed.text).code, "ERR_AUTH_011");
  const stale = await ask("/api/v1/sign-ins/current", { headers: { Cookie: `pixledger=us_${"a".repeat(43)}` } });
  assert.equal(stale.status, 401, stale.text);
  assert.match(stale.headers["set-cookie"][0], /^pixledger=; .*Max-Age=0/);
  // Merchants' keys and the web key are none of a browser's.
  for (const key of [world.key, world.liveKey]) {
    assert.equal((await ask("/api/v1/transactions", { headers: { Authorization: `Bearer ${key}` } })).status, 400);
    assert.equal((await ask("/api/v1/transactions", { headers: { Cookie: `pixledger=${key}` } })).status, 401);
  }
  assert.equal((await ask("/api/v1/transactions", { headers: { "Sec-Fetch-Site": "cross-site" } })).status, 403);
});

test("while the server is killed calls are refused at once, and go through by themselves once it is back", async (t) => {
  const world = await World.start(t);
  const ask = await of(world);
  // Only the server can refuse an unknown sign-in.
  const guess = () => ask("/api/v1/transactions", { headers: { Cookie: `pixledger=us_${"a".repeat(43)}` } });
  assert.equal((await ask("/openapi.json")).status, 200);
  process.kill(world.pidOf("pixledger-server"), "SIGKILL");
  await eventually(async () => {
    const away = await guess();
    return away.status === 503 && Number(away.headers["retry-after"]) > 0;
  }, 30_000);
  await eventually(async () => (await guess()).status === 401, 30_000);
  process.kill(world.pidOf("pixledger-web"), "SIGKILL");
  await eventually(async () => (await guess()).status === 401, 30_000);
});
