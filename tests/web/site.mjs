// pixledger-web as a process of its own, before a payer API that the test makes.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PayerApi } from "./payer_api.mjs";

const program = join(process.env.PIXLEDGER_BIN_DIR ?? "", "pixledger-web");

export class Site {
  log = "";

  // Waits until it is ready. `more`: further options.
  static async start(t, more = [], { api, waits = true } = {}) {
    const site = new Site();
    site.api = api ?? (await new PayerApi().start());
    site.folder = mkdtempSync(join(tmpdir(), "pixledger-web-"));
    site.keyFile = join(site.folder, "web-key");
    writeFileSync(site.keyFile, `${site.api.key}\n`, { mode: 0o600 });
    t.after(async () => {
      site.kill();
      await site.ended;
      rmSync(site.folder, { recursive: true });
      if (!api) await site.api.stop();
    });
    await site.run("127.0.0.1:0", more, waits);
    return site;
  }

  async run(listen, more, waits = true) {
    this.child = spawn(program, ["--pay-listen", listen, "--api", this.api.url, "--web-key-file", this.keyFile, "--log-format", "json", ...more],
      { env: { ...process.env, PIXLEDGER_CONFIG: "" } });
    this.ended = new Promise((resolve) => this.child.on("close", (code, signal) => resolve(code ?? signal)));
    this.child.stderr.on("data", (part) => { this.log += part; });
    this.url = await new Promise((resolve, reject) => {
      let out = "";
      this.child.stdout.on("data", (part) => {
        out += part;
        const ready = /ready on (\S+)\n/.exec(out);
        if (ready) resolve(ready[1]);
      });
      this.ended.then((code) => reject(new Error(`ended with ${code}: ${this.log}`)));
    });
    this.port = Number(new URL(this.url).port);
    if (waits) await eventually(async () => (await this.get("/readyz")).status === 200);
  }

  kill(signal = "SIGKILL") { this.child.kill(signal); }

  page(token, what = "") { return `${this.url}/pay/${token}${what}`; }
  get(path, headers = {}) { return send(this.url + path, { headers }); }
  post(path, form, headers = {}) {
    return send(this.url + path, { method: "POST", body: new URLSearchParams(form).toString(),
      headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers } });
  }
  async metric(name) {
    const line = (await this.get("/metrics")).text.split("\n").find((each) => each.startsWith(`${name} `));
    return Number(line?.split(" ").at(-1));
  }

  // A page's stream: `events` grows.
  follow(token, headers = {}) {
    const stream = { events: [], ended: false };
    const asked = request(this.page(token, "/live"), { headers, agent: false }, (answer) => {
      stream.status = answer.statusCode;
      stream.headers = answer.headers;
      let text = "";
      answer.on("data", (part) => {
        text += part;
        const blocks = text.split("\n\n");
        text = blocks.pop();
        for (const block of blocks) {
          const lines = block.split("\n");
          const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
          if (field("event")) stream.events.push({ event: field("event"), data: field("data") ? JSON.parse(field("data")) : null });
          if (block === ":") stream.comments = (stream.comments ?? 0) + 1;
        }
      });
      answer.on("close", () => { stream.ended = true; });
    });
    asked.on("error", () => { stream.ended = true; });
    asked.end();
    stream.close = () => asked.destroy();
    return stream;
  }
}

export function send(url, { method = "GET", headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers: body === undefined ? headers : { "Content-Length": Buffer.byteLength(body), ...headers }, agent: false }, (answer) => {
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("end", () => {
        const bytes = Buffer.concat(parts);
        resolve({ status: answer.statusCode, headers: answer.headers, bytes, text: bytes.toString() });
      });
      answer.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

// Until `check` is true of something; throws its last failure.
export async function eventually(check, forMs = 10_000) {
  const end = Date.now() + forMs;
  for (;;) {
    try {
      const found = await check();
      if (found) return found;
      if (Date.now() > end) throw new Error(`it never came true: ${check}`);
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
