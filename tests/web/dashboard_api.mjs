// The API as far as the dashboard's process knows of it: what it is asked is remembered, byte for byte of its headers, and
// answered as a test says.
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
export const newToken = () => `us_${Array.from(randomBytes(43), (byte) => letters[byte % letters.length]).join("")}`;

export class DashboardApi {
  key = `wk_${randomBytes(16).toString("hex")}`;
  asked = []; // {method, url, headers, body}, without the stream of changes
  tokens = new Set(); // of sign-ins that go on
  streams = new Set(); // of events
  heldBack = []; // answers that have not begun
  projects = []; // of the user who signs in
  user = "cuser000ana"; // who signs in from now on
  device = null; // what its answer says of the device
  users = new Map(); // of tokens
  connections = 0;

  async start(port = 0) {
    this.server = createServer((request, answer) => this.#serve(request, answer));
    this.server.keepAliveTimeout = 15_000;
    this.sockets = new Set();
    this.server.on("connection", (socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
    await new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}`;
    return this;
  }
  // As kill -9 ends it.
  async stop() {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
  of(path) { return this.asked.filter(({ url }) => url.split("?")[0] === path); }

  async #serve(request, answer) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { method, url, headers, rawHeaders } = request;
    if (url === "/api/v1/payer/changes") {
      answer.writeHead(headers.authorization === `Bearer ${this.key}` ? 200 : 401, { "Content-Type": "text/event-stream" });
      return answer.write(":\n\n");
    }
    this.asked.push({ method, url, headers, rawHeaders, body: Buffer.concat(parts).toString() });
    const token = /^Bearer (us_.*)$/.exec(headers.authorization ?? "")?.[1];
    const named = this.users.has(token) ? { "Pixledger-User": this.users.get(token) } : {};
    const send = (status, value, more = {}) => {
      const body = JSON.stringify(value);
      answer.writeHead(status, { ...named, "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body), "X-Request-Id": headers["x-request-id"], ...more });
      answer.end(body);
    };
    const refuse = (status, code) => send(status, { success: false, code, message: code, details: [], requestId: headers["x-request-id"] });
    const path = url.split("?")[0];
    const ended = token && !this.tokens.has(token);
    switch (`${method} ${path}`) {
      case "POST /api/v1/sign-ins": {
        if (!this.takes) return refuse(401, "ERR_AUTH_011");
        const made = this.answersToken ?? newToken();
        this.tokens.add(made);
        this.users.set(made, this.user);
        return send(201, { success: true, data: { token: made, signInId: "s1", user: { email: "ana@example.com" }, projects: this.projects } },
          { "Set-Cookie": "api=1", "Access-Control-Allow-Origin": "*", ...(this.device ? { "Pixledger-Device": this.device } : {}) });
      }
      case "DELETE /api/v1/sign-ins/current":
        if (!token || ended) return refuse(401, "ERR_AUTH_011");
        this.tokens.delete(token);
        return send(200, { success: true, data: null });
      case "POST /api/v1/sign-ins/current/confirm": return refuse(401, "ERR_AUTH_011");
      case "GET /api/v1/events":
        if (ended || !token) return refuse(401, "ERR_AUTH_011");
        answer.writeHead(200, { ...named, "Content-Type": "text/event-stream" });
        answer.write(":\n\n");
        this.streams.add(answer);
        return answer.on("close", () => this.streams.delete(answer));
      case "GET /api/v1/exports/charges": return this.#export(answer, named, Number(new URLSearchParams(url.split("?")[1]).get("bytes")));
      case "GET /api/v1/held": return this.heldBack.push(answer);
      case "GET /api/v1/page": return answer.writeHead(200, { "Content-Type": "text/html", "Set-Cookie": "a=b" }).end("<script>1</script>");
      case "GET /api/v1/rate":
        return send(429, { success: false, code: "ERR_RATE_001" }, { "Retry-After": "17", "Access-Control-Allow-Origin": "*", Location: "//evil.example" });
      default: return ended ? refuse(401, "ERR_AUTH_011") : send(200, { success: true, data: { path, as: token ? "a user" : "nobody" } });
    }
  }

  // As fast as it is read: how much has left is known.
  exported = 0;
  async #export(answer, named, bytes) {
    answer.writeHead(200, { ...named, "Content-Type": "text/csv; charset=utf-8", "Content-Disposition": "attachment; filename=\"cobrancas.csv\"" });
    const line = Buffer.alloc(16 * 1024, "0123456789abcde\n");
    this.exported = 0;
    let gone = false;
    answer.on("close", () => { gone = true; this.exportEnded = true; });
    while (this.exported < bytes && !gone) {
      this.exported += line.length;
      if (!answer.write(line)) await new Promise((resolve) => { answer.once("drain", resolve); answer.once("close", resolve); });
    }
    answer.end();
  }
}
