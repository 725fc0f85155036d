// Browsers that are driven by the commands of WebDriver: Debian's Firefox by Marionette, its own wire for them, and WebKitGTK,
// which is nearest to the browser of iPhones, by WebKitWebDriver and on a virtual screen.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../site.mjs";

const elementKey = "element-6066-11e4-a52e-4f735466cecf";
export const keys = { tab: "\uE004", enter: "\uE007" };

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function run(t, program, options, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), "pixledger-browser-"));
  const child = spawn(program, options(folder), { env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder, ...env }, stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  let failure;
  child.on("error", (error) => { failure = error; });
  t.after(async () => {
    child.kill("SIGTERM");
    if (!failure) await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return { folder, said: child.stdio[3], hasEnded: () => failure ?? child.exitCode ?? child.signalCode };
}

// What both have; `command` is one of WebDriver's, as Marionette calls it.
class Browser {
  page(url) { return this.command("WebDriver:Navigate", { url }); }
  back() { return this.command("WebDriver:Back", {}); }
  reload() { return this.command("WebDriver:Refresh", {}); }
  title() { return this.command("WebDriver:GetTitle", {}); }
  size(width, height) { return this.command("WebDriver:SetWindowRect", { width, height }); }
  async find(selector) {
    const found = await this.command("WebDriver:FindElement", { using: "css selector", value: selector });
    return found[elementKey];
  }
  async has(selector) {
    return (await this.command("WebDriver:FindElements", { using: "css selector", value: selector })).length > 0;
  }
  async text(selector) { return this.command("WebDriver:GetElementText", { id: await this.find(selector) }); }
  async click(selector) { return this.command("WebDriver:ElementClick", { id: await this.find(selector) }); }
  async type(selector, text) { return this.command("WebDriver:ElementSendKeys", { id: await this.find(selector), text }); }
  press(key) {
    const actions = [{ type: "keyDown", value: key }, { type: "keyUp", value: key }];
    return this.command("WebDriver:PerformActions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }
  run(script, ...args) { return this.command("WebDriver:ExecuteScript", { script, args }); }
  runUntilCalled(script, ...args) { return this.command("WebDriver:ExecuteAsyncScript", { script, args }); }
  // A PNG of the window.
  async picture() { return Buffer.from(await this.command("WebDriver:TakeScreenshot", { full: false }), "base64"); }
  becomes(state, forMs) { return eventually(() => this.has(`main[data-state="${state}"]`), forMs); }
}

// "LENGTH:[type, id, error, result]" both ways.
class Marionette extends Browser {
  #last = 0;
  #waiting = new Map();
  #bytes = Buffer.alloc(0);

  constructor(socket) {
    super();
    this.socket = socket;
    socket.on("data", (part) => {
      this.#bytes = Buffer.concat([this.#bytes, part]);
      this.#read();
    });
    socket.on("error", () => {});
  }

  #read() {
    for (;;) {
      const colon = this.#bytes.indexOf(":");
      const size = Number(this.#bytes.subarray(0, colon));
      if (colon < 0 || this.#bytes.length < colon + 1 + size) return;
      const message = JSON.parse(this.#bytes.subarray(colon + 1, colon + 1 + size));
      this.#bytes = this.#bytes.subarray(colon + 1 + size);
      if (!Array.isArray(message)) continue; // its greeting
      const [, id, error, result] = message;
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) reject(new Error(`${error.error}: ${error.message}`));
      else resolve(result && Object.hasOwn(result, "value") ? result.value : result);
    }
  }

  command(name, parameters) {
    const id = ++this.#last;
    const text = JSON.stringify([0, id, name, parameters]);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  }
}

const paths = {
  "WebDriver:Navigate": ["POST", "url"], "WebDriver:Back": ["POST", "back"], "WebDriver:Refresh": ["POST", "refresh"],
  "WebDriver:GetTitle": ["GET", "title"], "WebDriver:SetWindowRect": ["POST", "window/rect"],
  "WebDriver:FindElement": ["POST", "element"], "WebDriver:FindElements": ["POST", "elements"],
  "WebDriver:GetElementText": ["GET", "element/ID/text"], "WebDriver:ElementClick": ["POST", "element/ID/click"],
  "WebDriver:ElementSendKeys": ["POST", "element/ID/value"], "WebDriver:PerformActions": ["POST", "actions"],
  "WebDriver:ExecuteScript": ["POST", "execute/sync"], "WebDriver:ExecuteAsyncScript": ["POST", "execute/async"],
  "WebDriver:TakeScreenshot": ["GET", "screenshot"],
};

class WebDriver extends Browser {
  constructor(url) {
    super();
    this.url = url;
  }
  async ask(method, path, body) {
    const answer = await fetch(`${this.url}/${path}`, { method, body: method === "POST" ? JSON.stringify(body) : undefined });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  }
  command(name, { id, ...parameters }) {
    const [method, path] = paths[name];
    return this.ask(method, path.replace("ID", id), parameters);
  }
}

// `preferences`: of about:config.
export async function firefox(t, preferences = {}) {
  const program = process.env.PIXLEDGER_FIREFOX ?? "/usr/bin/firefox-esr";
  const all = { "marionette.port": 0, "datareporting.policy.dataSubmissionEnabled": false, "app.update.disabledForTesting": true,
    "browser.shell.checkDefaultBrowser": false, "network.captive-portal-service.enabled": false, "ui.prefersReducedMotion": 1, ...preferences };
  const { folder, hasEnded } = run(t, program, (profile) => {
    writeFileSync(join(profile, "user.js"), Object.entries(all).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`).join(""));
    return ["--headless", "--marionette", "--no-remote", "--profile", profile];
  });
  const port = await eventually(() => {
    if (hasEnded() !== null) throw new Error(`Firefox ended with ${hasEnded()}`);
    const file = join(folder, "MarionetteActivePort");
    return existsSync(file) && Number(readFileSync(file, "utf8"));
  }, 60_000);
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  await new Promise((resolve, reject) => socket.on("connect", resolve).on("error", reject));
  const browser = new Marionette(socket);
  await browser.command("WebDriver:NewSession", {});
  return browser;
}

export async function webKit(t, args = []) {
  const screen = run(t, "Xvfb", () => ["-displayfd", "3", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]);
  const display = await new Promise((resolve, reject) => {
    screen.said.on("data", (part) => resolve(`:${String(part).trim()}`)).on("close", () => reject(new Error("Xvfb did not start")));
  });
  const port = await freePort();
  run(t, process.env.PIXLEDGER_WEBKIT_DRIVER ?? "WebKitWebDriver", () => [`--port=${port}`, "--host=127.0.0.1"],
    { DISPLAY: display, GDK_BACKEND: "x11", LIBGL_ALWAYS_SOFTWARE: "1",
      NO_AT_BRIDGE: "1", GSETTINGS_BACKEND: "memory", DBUS_SESSION_BUS_ADDRESS: "disabled:" });
  const driver = new WebDriver(`http://127.0.0.1:${port}`);
  await eventually(() => driver.ask("GET", "status"), 30_000);
  const alwaysMatch = { "webkitgtk:browserOptions": { binary: miniBrowser(), args: ["--automation", ...args] } };
  const { sessionId } = await driver.ask("POST", "session", { capabilities: { alwaysMatch } });
  driver.url += `/session/${sessionId}`;
  t.after(() => driver.ask("DELETE", "").catch(() => {}));
  return driver;
}

// Debian has it beside the library, in a folder of its architecture.
function miniBrowser() {
  const found = process.env.PIXLEDGER_MINIBROWSER ?? `/usr/lib/${{ x64: "x86_64", arm64: "aarch64" }[process.arch]}-linux-gnu/webkit2gtk-4.1/MiniBrowser`;
  if (!existsSync(found)) throw new Error(`there is no ${found}`);
  return found;
}
