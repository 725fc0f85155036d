// pixledger-web with a dashboard, as a process of its own, before an API that the test makes.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DashboardApi } from "./dashboard_api.mjs";
import { eventually } from "./site.mjs";

const program = join(process.env.PIXLEDGER_BIN_DIR ?? "", "pixledger-web");

export class Dashboard {
  log = "";

  // Waits until it is ready. `more`: further options.
  static async start(t, more = [], { api, waits = true } = {}) {
    const site = new Dashboard();
    site.api = api ?? (await new DashboardApi().start());
    site.folder = mkdtempSync(join(tmpdir(), "pixledger-dashboard-"));
    const keyFile = join(site.folder, "web-key");
    writeFileSync(keyFile, `${site.api.key}\n`, { mode: 0o600 });
    site.arguments = ["--api", site.api.url, "--web-key-file", keyFile, "--log-format", "json", ...more];
    t.after(async () => {
      site.child.kill("SIGKILL");
      await site.ended;
      rmSync(site.folder, { recursive: true });
      if (!api) await site.api.stop();
    });
    await site.run("127.0.0.1:0");
    if (waits) await eventually(async () => (await site.get("/readyz")).status === 200);
    return site;
  }

  async run(listen) {
    this.child = spawn(program, ["--dashboard-listen", listen, ...this.arguments], { env: { ...process.env, PIXLEDGER_CONFIG: "" } });
    this.ended = new Promise((resolve) => this.child.on("close", (code, signal) => resolve(code ?? signal)));
    this.child.stderr.on("data", (part) => { this.log += part; });
    let out = "";
    this.child.stdout.on("data", (part) => { out += part; });
    let code;
    this.ended.then((ended) => { code = ended; });
    await eventually(() => {
      if (code !== undefined) throw new Error(`ended with ${code}: ${this.log}`);
      return /ready on/.test(out);
    });
    const served = /"the dashboard is served","address":"([^"]+)"/.exec(this.log)[1];
    this.port = Number(new URL(served).port);
    this.host = `localhost:${this.port}`;
  }

  // Of a page of the dashboard, unless `headers` say something else; null takes one away.
  send(path, { method = "GET", headers = {}, json, body = json === undefined ? undefined : JSON.stringify(json) } = {}) {
    const all = { Host: this.host, "Sec-Fetch-Site": "same-origin", ...(this.cookie ? { Cookie: this.cookie } : {}),
      ...(body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }), ...headers };
    for (const [name, value] of Object.entries(all)) if (value === null) delete all[name];
    return new Promise((resolve, reject) => {
      const asked = request({ host: "127.0.0.1", port: this.port, path, method, headers: all, agent: false }, (answer) => {
        const parts = [];
        answer.on("data", (part) => parts.push(part));
        answer.on("error", reject);
        answer.on("end", () => {
          const bytes = Buffer.concat(parts);
          const { statusCode: status, headers: given } = answer;
          resolve({ status, headers: given, bytes, text: bytes.toString(), json: given["content-type"]?.includes("json") && bytes.length ? JSON.parse(bytes) : undefined });
        });
      });
      asked.on("error", reject);
      asked.end(body);
    });
  }
  get(path, headers = {}) { return this.send(path, { headers }); }
  post(path, json, headers = {}) { return this.send(path, { method: "POST", json, headers }); }

  // Continues as the signed-in user.
  async signIn() {
    this.api.takes = true;
    const answer = await this.post("/api/v1/sign-ins", { email: "ana@example.com", password: "planted password", totp: "123456" });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
    this.cookie = answer.headers["set-cookie"][0].split(";")[0];
    return answer;
  }

  // A stream: `text` grows. Reads nothing while it is paused.
  open(path, headers = {}, { paused = false } = {}) {
    const stream = { text: "", bytes: 0 };
    const asked = request({ host: "127.0.0.1", port: this.port, path, agent: false,
      headers: { Host: this.host, "Sec-Fetch-Site": "same-origin", Cookie: this.cookie ?? "", ...headers } }, (answer) => {
      Object.assign(stream, { status: answer.statusCode, headers: answer.headers, answer });
      answer.on("close", () => { stream.ended = answer.complete ? "whole" : "cut"; });
      answer.on("error", () => {});
      const read = () => answer.on("data", (part) => {
        stream.bytes += part.length;
        if (stream.bytes < 100_000) stream.text += part;
      });
      stream.read = read;
      if (paused) answer.pause();
      else read();
    });
    asked.on("error", () => { stream.ended ??= "cut"; });
    asked.end();
    stream.close = () => asked.destroy();
    return stream;
  }

  async metric(name) {
    const line = (await this.get("/metrics")).text.split("\n").find((each) => each.startsWith(`${name} `));
    return Number(line?.split(" ").at(-1));
  }
}
