// Payers' pages and dashboard before the server that they are made for, run by `pixledger up`.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, send } from "./site.mjs";

const bin = process.env.PIXLEDGER_BIN_DIR ?? "";
const env = { ...process.env, PIXLEDGER_CONFIG: "" };
export const stateOf = (page) => /<main[^>]* data-state="([^"]*)"/.exec(page.text)?.[1];
const formType = { "Content-Type": "application/x-www-form-urlencoded" };

// A project, and the programs that `pixledger up` runs for it.
export class World {
  static async start(t) {
    const world = new World();
    world.folder = mkdtempSync(join(tmpdir(), "pixledger-checkout-"));
    world.data = join(world.folder, "data");
    const project = JSON.parse(world.pixledger("project", "create", "--name", "Loja Exemplo", "--pix-key", "loja@example.com",
      "--merchant-city", "RECIFE", "--json"));
    Object.assign(world, { project: project.projectId, key: project.testKey, liveKey: project.liveKey });
    world.log = "";
    world.up = spawn(join(bin, "pixledger"), ["up", "--dev", "--data", world.data, "--map-size", "1GiB", "--listen", "127.0.0.1:0",
      "--port-file", world.file("port"), "--pay-listen", "127.0.0.1:0", "--web-port-file", world.file("web-port"),
      "--dashboard-listen", "127.0.0.1:0", "--dashboard-port-file", world.file("dashboard-port")], { env });
    world.up.stderr.on("data", (part) => { world.log += part; });
    const ended = new Promise((resolve) => world.up.on("close", resolve));
    t.after(async () => {
      world.up.kill("SIGTERM");
      await ended;
      rmSync(world.folder, { recursive: true });
    });
    world.pages = `http://127.0.0.1:${await world.port("web-port")}`;
    await eventually(async () => (await send(`${world.pages}/readyz`)).status === 200, 30_000);
    return world;
  }

  file(name) { return join(this.folder, name); }
  async port(name) {
    await eventually(() => existsSync(this.file(name)), 30_000);
    return readFileSync(this.file(name), "utf8").trim();
  }
  pixledger(...more) {
    return execFileSync(join(bin, "pixledger"), [...more, "--data", this.data, "--map-size", "1GiB"], { env, encoding: "utf8" });
  }
  async api(method, path, body, key = this.key) {
    const answer = await send(`http://127.0.0.1:${await this.port("port")}${path}`, { method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }, body: body && JSON.stringify(body) });
    return { status: answer.status, ...JSON.parse(answer.text) };
  }
  async session(more = {}) {
    const { status, data } = await this.api("POST", "/api/v1/checkout/sessions",
      { payment: { amountCents: 1990, product: "Camiseta" }, originDomain: "loja.example.com", ...more });
    assert.equal(status, 201, JSON.stringify(data));
    return data;
  }
  pidOf(program) {
    return Number([...this.log.matchAll(new RegExp(`"message":"started","program":"${program}","pid":(\\d+)`, "g"))].at(-1)[1]);
  }
}

export const customer = { name: "Ana Lima", document: "52998224725", email: "ana@example.com", phone: "11987654321" };
export const post = (url, form = {}) => send(url, { method: "POST", headers: formType, body: new URLSearchParams(form).toString() });
