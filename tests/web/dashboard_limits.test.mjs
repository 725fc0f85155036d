// What people may take of the dashboard's process at a time, and answers of any length, before an API of the tests.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { newToken } from "./dashboard_api.mjs";
import { Dashboard } from "./dashboard.mjs";
import { eventually } from "./site.mjs";

test("events pass through as they come, and a stream ends with either of its sides", async (t) => {
  const site = await Dashboard.start(t);
  await site.signIn();
  const stream = site.open("/api/v1/events", { Accept: "text/event-stream" });
  await eventually(() => stream.text.includes(":\n\n"));
  assert.equal(stream.headers["content-type"], "text/event-stream");
  const [upstream] = site.api.streams;
  upstream.write("id: 1\ndata: {}\n\n");
  await eventually(() => stream.text.includes("id: 1\ndata: {}\n\n"));
  assert.equal(await site.metric("pixledger_web_dashboard_streams"), 1);
  stream.close();
  await eventually(() => site.api.streams.size === 0);
  await eventually(async () => (await site.metric("pixledger_web_dashboard_streams")) === 0);
  const second = site.open("/api/v1/events", { Accept: "text/event-stream" });
  await eventually(() => site.api.streams.size === 1 && second.text);
  [...site.api.streams][0].end("id: 2\n\n");
  await eventually(() => second.ended === "whole");
  assert.ok(second.text.endsWith("id: 2\n\n"));
});

test("a sign-in has eight streams, and room again for one that went", async (t) => {
  const site = await Dashboard.start(t);
  await site.signIn();
  const streams = Array.from({ length: 8 }, () => site.open("/api/v1/events"));
  await eventually(() => streams.every(({ text }) => text));
  const ninth = await site.get("/api/v1/events");
  assert.equal(ninth.status, 429);
  assert.ok(Number(ninth.headers["retry-after"]) > 0);
  assert.equal((await site.get("/api/v1/transactions")).status, 200);
  await eventually(() => site.api.streams.size === 8);
  streams[0].close();
  await eventually(() => site.api.streams.size === 7);
  const again = site.open("/api/v1/events");
  await eventually(() => again.text);
  for (const each of [...streams, again]) each.close();
});

test("a sign-in and an address have so many requests at a time, and others are not held up", async (t) => {
  const site = await Dashboard.start(t, ["--trusted-proxy", "127.0.0.0/8"]);
  await site.signIn();
  const from = (address, cookie = site.cookie) => ({ "X-Forwarded-For": address, Cookie: cookie });
  const held = Array.from({ length: 24 }, () => site.open("/api/v1/held", from("192.0.2.1")));
  await eventually(() => site.api.heldBack.length === 24);
  const over = await site.get("/api/v1/x", from("192.0.2.2"));
  assert.equal(over.status, 429);
  assert.ok(over.headers["retry-after"]);
  assert.equal((await site.get("/api/v1/x", from("192.0.2.1", `pixledger=${newToken()}`))).status, 401);
  for (const each of held) each.close();
  // The API learns that the clients have gone.
  await eventually(() => site.api.heldBack.every((answer) => answer.destroyed || answer.closed));
  await eventually(async () => (await site.get("/api/v1/x", from("192.0.2.2"))).status === 200);
  const cookies = [];
  for (let i = 0; i < 4; ++i) {
    await site.signIn();
    cookies.push(site.cookie);
  }
  const many = Array.from({ length: 64 }, (_, i) => site.open("/api/v1/held", from("192.0.2.3", cookies[i % 4])));
  await eventually(() => site.api.heldBack.length === 24 + 64);
  assert.equal((await site.get("/api/v1/x", from("192.0.2.3"))).status, 429);
  for (const each of many) each.close();
  await eventually(async () => (await site.get("/api/v1/x", from("192.0.2.3"))).status === 200);
});

// Cookies of so many sign-ins of one user.
async function signIns(site, user, count) {
  site.api.user = user;
  const cookies = [];
  for (let i = 0; i < count; ++i) {
    await site.signIn();
    cookies.push(site.cookie);
    await site.get("/api/v1/me");
  }
  return cookies;
}

test("one user has so many requests and streams, however often they have signed in, and nobody else waits", async (t) => {
  const site = await Dashboard.start(t, ["--trusted-proxy", "127.0.0.0/8"]);
  const cookies = await signIns(site, "cuser000bea", 32);
  const from = (i, cookie) => ({ "X-Forwarded-For": `192.0.2.${i}`, Cookie: cookie, "Pixledger-Project": "cproject0" });
  const streams = cookies.flatMap((cookie, i) => Array.from({ length: 8 }, () => site.open("/api/v1/events", from(i, cookie))));
  await eventually(() => streams.every(({ status }) => status));
  assert.equal(streams.filter(({ status }) => status === 200).length, 16);
  const held = cookies.flatMap((cookie, i) => Array.from({ length: 4 }, () => site.open("/api/v1/held", from(100 + i, cookie))));
  await eventually(() => held.filter(({ status }) => status === 429).length === 32 * 4 - 48 && site.api.heldBack.length === 48);
  const [ana] = await signIns(site, "cuser000ana", 1);
  const hers = site.open("/api/v1/events", { ...from(200, ana), "Pixledger-Project": "cproject1" });
  await eventually(() => hers.text.includes(":\n\n"));
  assert.equal((await site.get("/api/v1/x", from(200, ana))).status, 200);
  for (const each of [...streams, ...held, hers]) each.close();
});

test("where all places of streams are taken, the project with most of them makes room, and long answers have their own", async (t) => {
  const site = await Dashboard.start(t, ["--trusted-proxy", "127.0.0.0/8"]);
  const open = [];
  const crowd = async (project, users) => {
    for (let i = 0; i < users; ++i) {
      const [cookie, other] = await signIns(site, `cuser${project}${i}`, 2);
      for (let k = 0; k < 16; ++k)
        open.push(site.open("/api/v1/events", { "X-Forwarded-For": `192.0.${open.length >> 6}.1`, Cookie: k < 8 ? cookie : other, "Pixledger-Project": project }));
      await eventually(() => open.every(({ status }) => status === 200));
    }
  };
  for (const project of ["ca", "cb", "cc", "cd"]) await crowd(project, 8);
  assert.equal(site.api.streams.size, 512);
  const [ana] = await signIns(site, "cuser000ana", 1);
  const hers = { "X-Forwarded-For": "198.51.100.1", Cookie: ana, "Pixledger-Project": "cana" };
  const stream = site.open("/api/v1/events", hers);
  await eventually(() => stream.text.includes(":\n\n") && site.api.streams.size === 512);
  assert.equal(open.filter(({ ended }) => ended).length, 1);
  const list = site.open("/api/v1/exports/charges?bytes=1000000", hers);
  await eventually(() => list.ended === "whole");
  for (const each of [...open, stream]) each.close();
});

test("what the API knows a device by is a cookie that no script reads, and goes back to it with a sign-in alone", async (t) => {
  const site = await Dashboard.start(t);
  site.api.device = "bWFyaw.b3RoZXI";
  const first = await site.signIn();
  const cookies = first.headers["set-cookie"];
  assert.match(cookies[1], /^pixledger-device=bWFyaw\.b3RoZXI; Path=\/; HttpOnly; SameSite=Strict; Max-Age=34560000$/);
  assert.equal(first.headers["pixledger-device"], undefined);
  assert.equal(first.headers["pixledger-user"], undefined);
  site.cookie += "; pixledger-device=bWFyaw.b3RoZXI";
  await site.get("/api/v1/me");
  assert.equal(site.api.of("/api/v1/me")[0].headers["pixledger-device"], undefined);
  await site.post("/api/v1/sign-ins", {}, { Cookie: site.cookie });
  assert.equal(site.api.of("/api/v1/sign-ins")[1].headers["pixledger-device"], "bWFyaw.b3RoZXI");
});

test("an export of any length passes through as fast as it is read, and no faster", async (t) => {
  const site = await Dashboard.start(t);
  await site.signIn();
  const bytes = 64 * 1024 * 1024;
  const slow = site.open(`/api/v1/exports/charges?bytes=${bytes}`, {}, { paused: true });
  await eventually(() => slow.status === 200);
  assert.equal(slow.headers["content-disposition"], "attachment; filename=\"cobrancas.csv\"");
  assert.equal(slow.headers["content-type"], "text/csv; charset=utf-8");
  // Its reader is cut off once it has taken nothing for seconds; until then, and after, little was asked of the API.
  await eventually(() => site.api.exportEnded, 60_000);
  assert.ok(site.api.exported < bytes / 4, `${site.api.exported}`);
  await eventually(async () => (await site.metric("pixledger_web_dashboard_streams")) === 0);
  slow.close();
  const quick = site.open(`/api/v1/exports/charges?bytes=${bytes}`);
  await eventually(() => quick.ended, 60_000);
  assert.equal(quick.ended, "whole");
  assert.equal(quick.bytes, bytes);
});

test("a head or body that comes slowly keeps nobody from being served", async (t) => {
  const site = await Dashboard.start(t);
  await site.signIn();
  const socket = connect(site.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(`POST /api/v1/slow HTTP/1.1\r\nHost: ${site.host}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`);
  for (let i = 0; i < 20; ++i) assert.equal((await site.get("/api/v1/x")).status, 200);
  assert.equal(site.api.of("/api/v1/slow").length, 0);
  socket.destroy();
});

test("a member of very many projects can sign in, too, and an endless answer is refused", async (t) => {
  const site = await Dashboard.start(t);
  site.api.projects = Array.from({ length: 2_000 }, (_, i) => ({ id: `p${i}`, name: "A shop with a long name, ".repeat(4) + i, role: "owner" }));
  const { json } = await site.signIn();
  assert.deepEqual(json.data.projects, site.api.projects);
  assert.equal((await site.get("/api/v1/me")).status, 200);
  site.api.projects = Array.from({ length: 20 }, () => ({ name: "x".repeat(100_000) }));
  assert.equal((await site.post("/api/v1/sign-ins", {})).status, 503);
  site.api.projects = [];
  assert.equal((await site.post("/api/v1/sign-ins", {})).status, 201);
});
