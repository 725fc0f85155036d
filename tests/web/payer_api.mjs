// The payer API of pixledger-server, as far as payers' pages ask it: sessions that a test makes and changes. It judges what
// it is asked as the server does, and remembers it.
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";

export const pixCode =
  "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d3-a456-426655440000520400005303986540519.905802BR5913LOJA EXEMPLO6006RECIFE62070503***6304ABCD";

const minute = 60_000;
const id = () => `c${randomBytes(12).toString("hex")}`;

export class PayerApi {
  key = `wk_${randomBytes(16).toString("hex")}`;
  sessions = new Map(); // by token
  asked = []; // {method, path, body, caller, requestId}
  streams = new Set();
  unable = 0; // a status to answer everything with
  delayMs = 0;
  connections = 0;

  // `tls`: its certificate and key, as PEM.
  async start(port = 0, tls = undefined) {
    const serve = (request, answer) => this.#serve(request, answer);
    this.server = tls ? createTlsServer(tls, serve) : createServer(serve);
    this.server.keepAliveTimeout = 15_000;
    this.sockets = new Set();
    this.server.on(tls ? "secureConnection" : "connection", (socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
    await new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    this.port = this.server.address().port;
    this.url = `${tls ? "https" : "http"}://127.0.0.1:${this.port}`;
    return this;
  }
  // As kill -9 ends it.
  async stop() {
    for (const socket of this.sockets) socket.destroy();
    this.streams.clear();
    await new Promise((resolve) => this.server.close(resolve));
  }

  // A session in a state, and its token.
  add(state = "waiting", more = {}) {
    const token = `${id()}.${randomBytes(16).toString("base64url")}`;
    const session = {
      id: token.split(".")[0], environment: "test", state: "form", locale: "pt-BR", version: 1,
      payment: { amountCents: 1990, description: "Camiseta", externalId: null },
      charge: null, chargesLeft: 5, canRenew: false, expiresAt: new Date(Date.now() + 1440 * minute).toISOString(),
      customer: null,
      store: { name: "Loja Exemplo", timezone: "America/Sao_Paulo", color: null, supportContact: "ajuda@loja.example", logo: null,
        embedOrigins: [], payerProofs: false },
      returnUrl: null, cancelUrl: null,
    };
    this.sessions.set(token, session);
    if (state !== "form") this.#charge(session);
    this.#enter(session, state);
    Object.assign(session, more, { store: { ...session.store, ...more.store } });
    return token;
  }

  // To a state, which all who follow are told.
  change(token, state, more = {}) {
    const session = this.sessions.get(token);
    this.#enter(session, state);
    Object.assign(session, more);
    session.version += 1;
    const data = JSON.stringify({ session: session.id, version: session.version, state });
    for (const stream of this.streams) stream.write(`event: session\ndata: ${data}\n\n`);
  }

  #charge(session) {
    const now = Date.now();
    session.charge = { id: id(), status: "PENDING", pixCode, createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 30 * minute).toISOString(), paidAt: null, endToEndId: null, refundedAmountCents: 0 };
    session.customer ??= { name: "A** L***", document: "***.982.247-**" };
    session.chargesLeft -= 1;
  }

  #enter(session, state) {
    session.state = state;
    const { charge } = session;
    if (charge && state !== "waiting") charge.pixCode = null;
    if (charge && ["paid", "refunded", "partially_refunded"].includes(state)) {
      charge.status = "PAID";
      charge.paidAt = new Date().toISOString();
      charge.endToEndId = "E18236120202603011200s1a2b3c4d5e";
    }
    if (charge && state === "refunded") charge.refundedAmountCents = 1990;
    if (charge && state === "partially_refunded") charge.refundedAmountCents = 990;
    session.canRenew = ["expired", "failed", "cancelled"].includes(state) && session.chargesLeft > 0;
  }

  async #serve(request, answer) {
    const body = await new Promise((resolve) => {
      let text = "";
      request.on("data", (part) => { text += part; });
      request.on("end", () => resolve(text));
    });
    const path = request.url;
    this.asked.push({ method: request.method, path, body: body && JSON.parse(body), caller: request.headers["x-forwarded-for"],
      requestId: request.headers["x-request-id"] });
    if (this.delayMs) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    const send = (status, value) => {
      answer.writeHead(status, { "Content-Type": "application/json" });
      answer.end(JSON.stringify(value));
    };
    const refuse = (status, code, details = []) => send(status, { success: false, code, message: code, details, requestId: "r" });
    if (this.unable) return refuse(this.unable, `ERR_HTTP_${this.unable}`);
    if (request.headers.authorization !== `Bearer ${this.key}`) return refuse(401, "ERR_AUTH_001");
    if (path === "/api/v1/payer/changes") {
      answer.writeHead(200, { "Content-Type": "text/event-stream" });
      answer.write(":\n\n");
      this.streams.add(answer);
      answer.on("close", () => this.streams.delete(answer));
      return;
    }
    const [, token, what = ""] = /^\/api\/v1\/payer\/sessions\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
    const session = this.sessions.get(token);
    if (!session) return refuse(404, "ERR_CHECKOUT_001");
    const good = () => send(200, { success: true, data: session });
    switch (`${request.method} ${what}`) {
      case "GET ": return good();
      case "GET logo":
        if (!this.logo) return refuse(404, "ERR_CHECKOUT_001");
        answer.writeHead(200, { "Content-Type": "image/png" });
        return answer.end(this.logo);
      case "GET proof":
        return session.store.payerProofs && session.charge?.paidAt ? send(200, { proof: session.charge.id }) : refuse(404, "ERR_CHECKOUT_001");
      case "POST customer": return this.#take(session, JSON.parse(body), refuse, good);
      case "POST charges":
        if (session.state === "waiting") return good();
        if (!session.canRenew) return refuse(400, "ERR_CHECKOUT_002");
        this.#charge(session);
        this.change(token, "waiting");
        return good();
      case "POST simulate-payment":
        if (session.environment !== "test") return refuse(400, "ERR_CHECKOUT_002");
        this.change(token, "paid");
        return good();
      default: return refuse(404, "ERR_HTTP_404");
    }
  }

  #take(session, customer, refuse, good) {
    const wrong = [];
    if (!customer.name) wrong.push("name");
    if (!/^(\d{11}|[0-9A-Z]{12}\d{2})$/.test(customer.document)) wrong.push("document");
    if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(customer.email)) wrong.push("email");
    if (!/^\d{10,15}$/.test(customer.phone)) wrong.push("phone");
    if (wrong.length) return refuse(400, "ERR_VALIDATION_001", wrong.map((field) => ({ field, reason: "must be right" })));
    if (customer.document === "11144477735") return refuse(403, "ERR_BLOCKED_001");
    if (session.state !== "form") return refuse(400, "ERR_CHECKOUT_002");
    this.#charge(session);
    for (const [token, each] of this.sessions) if (each === session) this.change(token, "waiting");
    return good();
  }

  setLogo(bytes) {
    this.logo = bytes;
    return { digest: createHash("sha256").update(bytes).digest("hex"), type: "image/png", bytes: bytes.length };
  }
}
