// The front end's own double of the web process and the API behind it: serves the bundle under the same policy, keeps a made-up
// shop in memory, and answers what it has no state of with the example of the API's document. Run it alone to look at
// the pages: `node fake_api.mjs [PORT]`; password "correct horse battery", code 123456, invitation "abc".
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { documentOf } from "./api_types.mjs";
import { bundle } from "./bundle.mjs";
import { customersOf, eventsOf, id, iso, now, projects, statsOf, store, transactionsOf, user } from "./sample_data.mjs";

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
export const password = "correct horse battery";
export const [signInId, otherSignInId] = ["cmwqsignin000000000000001", "cmwqsignin000000000000002"];
const codes = [..."QRSTUVWX"].map((last) => `GEZD-GNBV-GY3T-QOJ${last}`);

class Refusal extends Error {
  constructor(status, code, details = [], headers = {}) {
    super(code);
    Object.assign(this, { status, code, details, headers });
  }
}
export const refuse = (...all) => { throw new Refusal(...all); };
const missing = (fields) => fields.length && refuse(400, "ERR_VALIDATION_001", fields.map((field) => ({ field, reason: "is required" })));

// Of a store whose fee is 0.99 %.
function moneyOf({ paidAmountCents, unappliedPayments }) {
  const feeCents = paidAmountCents === null ? null : Math.round(paidAmountCents * 0.0099);
  const open = unappliedPayments.filter(({ returnedAt }) => returnedAt === null);
  return { feeCents, netCents: feeCents === null ? null : paidAmountCents - feeCents, unappliedAmountCents: open.reduce((sum, { amountCents }) => sum + amountCents, 0) };
}

export class FakeApi {
  document = documentOf();
  asked = []; // {method, path, query, headers, body}
  sessions = new Map(); // cookie → {confirmed}
  stale = false; // the next acts want a credential again
  failures = []; // statuses to answer next, before anything else: 0 cuts the connection
  contract = undefined; // receives every exchange
  next = 0;
  user = { ...user };
  worlds = {};
  deliveries = [];
  streams = new Set();

  constructor() {
    for (const environment of ["live", "sandbox"]) {
      const customers = customersOf(environment);
      this.worlds[environment] = { customers, transactions: transactionsOf(environment, customers), blocklist: [
        { id: id(), environment, type: "email", value: "golpe@example.com", reason: "Contestações", createdAt: iso(now) },
        { id: id(), environment, type: "cidr", value: "203.0.113.0/24", reason: null, createdAt: iso(now) }] };
    }
    this.passkeys = [{ id: id(), name: "Notebook da loja", createdAt: iso(now - 9e8), lastUsedAt: iso(now - 1e7) }];
    this.signIns = [
      { id: signInId, createdAt: iso(now - 1e7), lastSeenAt: iso(now), address: "203.0.113.7", userAgent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0", isCurrent: true, method: "passkey" },
      { id: otherSignInId, createdAt: iso(now - 9e7), lastSeenAt: iso(now - 8e7), address: "198.51.100.4", userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Safari/605", isCurrent: false, method: "recovery_code" }];
  }

  async start(port = 0) {
    this.files = bundle();
    this.server = createServer((request, response) => void this.answer(request, response));
    await new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    this.port = this.server.address().port;
    this.url = `http://localhost:${this.port}`;
    return this;
  }
  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  // A cookie of a session, for pages that begin signed in.
  session() {
    const key = `s${++this.next}`;
    this.sessions.set(key, { confirmed: true });
    return { name: "pixledger", value: key, url: this.url };
  }

  async answer(request, response) {
    const url = new URL(request.url, this.url);
    let text = "";
    for await (const part of request) text += part;
    const send = (status, type, body, headers = {}) => response.writeHead(status, { "Content-Type": type, "Content-Security-Policy": policy,
      "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", ...headers }).end(body);
    if (!url.pathname.startsWith("/api/")) {
      if (url.pathname === "/assets/main.js") return send(200, "text/javascript; charset=utf-8", this.files.script);
      if (url.pathname === "/assets/verifier.js") return send(200, "text/javascript; charset=utf-8", this.files.verifier);
      if (url.pathname === "/assets/dashboard.css") return send(200, "text/css; charset=utf-8", this.files.style);
      if (url.pathname === "/favicon.ico") return send(204, "image/x-icon", "");
      return send(200, "text/html; charset=utf-8", this.files.page);
    }
    // A file is taken as it is.
    const isFile = request.headers["content-type"] === "application/octet-stream";
    const body = isFile ? text : text ? JSON.parse(text) : undefined;
    this.asked.push({ method: request.method, path: url.pathname, query: url.searchParams, headers: request.headers, body });
    const requestId = request.headers["x-request-id"] ?? "req_none";
    if (this.failures.length) {
      const status = this.failures.shift();
      return status ? send(status, "text/plain", "") : request.socket.destroy();
    }
    const call = { method: request.method, path: url.pathname, query: url.searchParams, body: body ?? {}, headers: request.headers, response,
      environment: request.headers["pixledger-environment"] ?? "live", cookie: /pixledger=(\w+)/.exec(request.headers.cookie ?? "")?.[1] };
    try {
      const reply = this.route(call);
      if (reply === undefined) return; // it goes on by itself
      const { status = 200, headers = {}, ...rest } = reply;
      this.reply(call, body, send, status, { success: true, ...rest }, { "X-Request-Id": requestId, ...headers });
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      const { status, code, details, headers } = problem;
      this.reply(call, body, send, status, { success: false, code, message: `Refused: ${code}.`, details, requestId }, headers);
    }
  }

  reply(call, body, send, status, answer, headers) {
    this.contract?.judge({ ...call, body }, status, answer);
    send(status, "application/json", JSON.stringify(answer), headers);
  }

  route(call) {
    for (const [method, pattern, work, open] of this.routes) {
      const found = method === call.method && pattern.exec(call.path);
      if (!found) continue;
      if (!open && !this.sessions.has(call.cookie)) refuse(401, "ERR_AUTH_011");
      return work({ ...call, world: this.worlds[call.environment], id: found[1], session: this.sessions.get(call.cookie) });
    }
    return this.example(call);
  }

  // What the document says of an operation that has no state here.
  example({ method, path, cookie }) {
    if (!this.sessions.has(cookie)) refuse(401, "ERR_AUTH_011");
    for (const [template, item] of Object.entries(this.document.paths)) {
      const operation = item[method.toLowerCase()];
      if (!operation || !new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(path)) continue;
      const [status, { content }] = Object.entries(operation.responses).find(([each]) => each.startsWith("2"));
      const { success, ...example } = content["application/json"].example ?? Object.values(content["application/json"].examples)[0].value;
      return { status: Number(status), ...example };
    }
    return refuse(404, "ERR_HTTP_404");
  }

  signIn(call) {
    const { body, response } = call;
    if (body.email !== undefined && (body.password !== password || (body.totp !== "123456" && !codes.includes(body.recoveryCode)))) refuse(401, "ERR_AUTH_011");
    if (body.invitation !== undefined && body.invitation !== "abc") refuse(401, "ERR_AUTH_011");
    const { value } = this.session();
    if (body.invitation) this.mustSet = true;
    response.setHeader("Set-Cookie", `pixledger=${value}; HttpOnly; SameSite=Strict; Path=/`);
    return { status: 201, data: this.current() };
  }
  current() {
    return { signInId, expiresAt: iso(now + 4e7), idleSeconds: 1800, user: this.user, projects, mustSetCredential: this.mustSet ?? false, confirmedAt: this.stale ? iso(now) : iso(Date.now()) };
  }
  confirmed() { if (this.stale) refuse(403, "ERR_AUTH_013"); }

  page(all, query) {
    const limit = Number(query.get("limit") ?? 10);
    const page = Number(query.get("page") ?? 1);
    return { data: all.slice((page - 1) * limit, page * limit), meta: { total: all.length, page, limit, totalPages: Math.ceil(all.length / limit) } };
  }
  list({ world, query }) {
    const words = (query.get("search") ?? query.get("q") ?? "").toLowerCase();
    const status = query.get("status")?.split(",");
    return this.page(world.transactions.filter((each) => (!status || status.includes(each.status)) && (!words || `${each.customer.name} ${each.externalId}`.toLowerCase().includes(words)) &&
      each.amountCents >= Number(query.get("amountMin") ?? 0) && each.amountCents <= Number(query.get("amountMax") ?? Infinity) &&
      (!query.get("unapplied") || each.unappliedPayments.length) && (!query.get("customerId") || each.customer.id === query.get("customerId")) &&
      each.createdAt >= (query.get("dateFrom") ?? "") && each.createdAt <= `${query.get("dateTo") ?? "9"}~`), query);
  }
  item = ({ customer, pixCode, unappliedPayments, refunds, refundsMoveMoney, refundedAt, expirationDate, ...each }) => ({ ...each, ...moneyOf({ ...each, unappliedPayments }),
    customer: { id: customer.id, name: customer.name, email: customer.email }, customerName: customer.name, customerEmail: customer.email });
  detail = ({ connection, originDomain, customer: { id, name, document, email, phone }, ...each }) => ({ ...each, ...moneyOf(each), customer: { id, name, document, email, phone } });
  // A live credential reaches both worlds.
  transaction({ environment, id }) {
    const { live, sandbox } = this.worlds;
    const within = environment === "live" ? [...live.transactions, ...sandbox.transactions] : sandbox.transactions;
    return within.find((each) => each.id === id) ?? refuse(404, "ERR_TRANSACTION_001");
  }
  customerItem = ({ projectId, blockedAt, blockedReason, blockExpiresAt, blockType, fraudEvents, ...each }) => each;
  customer = ({ world, id }) => world.customers.find((each) => each.id === id) ?? refuse(404, "ERR_CUSTOMER_001");
  customerDetail(call) {
    const customer = this.customer(call);
    const own = call.world.transactions.filter((each) => each.customer.id === customer.id);
    return { data: { ...customer, recentTransactions: own.slice(0, 10).map(({ id, amountCents, status, environment, product, createdAt, paidAt, paidAmountCents, refundedAmountCents, unappliedPayments }) =>
      ({ id, amountCents, status, environment, product, createdAt, paidAt, paidAmountCents, refundedAmountCents, ...moneyOf({ paidAmountCents, unappliedPayments }) })), totalTransactions: own.length } };
  }
  change(call, changes, { confirmed = false } = {}) {
    if (confirmed) this.confirmed();
    return { data: this.detail(Object.assign(this.transaction(call), changes)) };
  }

  // Tells all who follow the feed.
  tell({ actor, requestId, ...event }) {
    this.contract?.judgeEvent(event);
    for (const stream of this.streams) stream.write(`id: ${event.id}\nevent: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  routes = [
    ["POST", /^\/api\/v1\/sign-ins\/challenge$/, ({ body }) => ({ status: 201, data: { challengeId: "c1", publicKey: { challenge: "AAAAAAAAAAAAAAAAAAAAAA", rpId: "localhost",
      rpName: "pixledger", timeout: 300_000, userVerification: "required", ...(body.purpose === "register" && { user: { id: "dXNlcg", name: this.user.email,
        displayName: this.user.email }, pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -257 }] }) } } }), true],
    ["POST", /^\/api\/v1\/sign-ins$/, (call) => this.signIn(call), true],
    ["GET", /^\/api\/v1\/sign-ins\/current$/, () => ({ data: this.current() })],
    ["DELETE", /^\/api\/v1\/sign-ins\/current$/, ({ cookie }) => (this.sessions.delete(cookie), {})],
    ["POST", /^\/api\/v1\/sign-ins\/current\/confirm$/, ({ body }) => {
      if (!body.passkey && (body.password !== password || body.totp !== "123456")) refuse(401, "ERR_AUTH_011");
      this.stale = false;
      return { data: { confirmedAt: iso(now) } };
    }],
    ["GET", /^\/api\/v1\/sign-ins$/, () => ({ data: this.signIns })],
    ["DELETE", /^\/api\/v1\/sign-ins\/(\w+)$/, ({ id }) => (this.signIns = this.signIns.filter((each) => each.id !== id), {})],
    ["GET", /^\/api\/v1\/me\/passkeys$/, () => ({ data: this.passkeys })],
    ["POST", /^\/api\/v1\/me\/passkeys$/, ({ body }) => {
      this.confirmed();
      missing(["challengeId", "name", "credentialId", "clientDataJson", "authenticatorData", "publicKey"].filter((each) => !body[each]));
      const passkey = { id: id(), name: body.name, createdAt: iso(now), lastUsedAt: null };
      this.passkeys.push(passkey);
      this.user.hasPasskey = true;
      this.mustSet = false;
      return { status: 201, data: passkey };
    }],
    ["DELETE", /^\/api\/v1\/me\/passkeys\/(\w+)$/, ({ id }) => (this.confirmed(), this.passkeys = this.passkeys.filter((each) => each.id !== id), {})],
    ["POST", /^\/api\/v1\/me\/password$/, ({ body }) => {
      this.confirmed();
      if (body.password.length < 12) refuse(400, "ERR_VALIDATION_001", [{ field: "password", reason: "must be text of 12 to 200 characters" }]);
      this.user.hasPassword = true;
      return {};
    }],
    ["POST", /^\/api\/v1\/me\/totp$/, ({ body }) => {
      this.confirmed();
      if (!body.code) return { status: 201, data: { secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", otpauthUrl:
        "otpauth://totp/pixledger:dona%40loja.example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=pixledger" } };
      if (body.code !== "123456") refuse(400, "ERR_VALIDATION_001", [{ field: "code", reason: "is not the code of now" }]);
      this.user.hasTotp = true;
      this.mustSet = false;
      return { data: { enabled: true, recoveryCodes: codes } };
    }],
    ["DELETE", /^\/api\/v1\/me\/totp$/, () => (this.confirmed(), this.user.hasTotp = false, {})],
    ["POST", /^\/api\/v1\/me\/recovery-codes$/, () => (this.confirmed(), { status: 201, data: { recoveryCodes: codes } })],
    ["GET", /^\/api\/v1\/store$/, () => ({ data: store })],
    ["GET", /^\/api\/v1\/stats$/, ({ query }) => ({ data: statsOf(query.get("from") ?? "2026-10-23", query.get("to") ?? "2026-11-21"), meta: { timezone: store.timezone } })],
    ["GET", /^\/api\/v1\/search$/, ({ world, query }) => {
      const words = query.get("q").toLowerCase();
      const finds = (...texts) => texts.some((text) => text?.toLowerCase().includes(words));
      return { data: { transactions: world.transactions.filter((each) => finds(each.id, each.externalId, each.transactionCode, each.customer.name)).slice(0, 10).map(this.item),
        customers: world.customers.filter((each) => finds(each.id, each.name, each.email, each.document)).slice(0, 10).map(this.customerItem), payments: [] } };
    }],
    ["GET", /^\/api\/v1\/transactions$/, (call) => { const { data, meta } = this.list(call); return { data: data.map(this.item), meta }; }],
    ["GET", /^\/api\/v1\/transactions\/(\w+)$/, (call) => {
      const transaction = this.detail(this.transaction(call));
      return { data: call.query.get("asOf") ? { ...transaction, status: "waiting_payment", paidAt: null, paidAmountCents: null, transactionCode: null, refunds: [], refundedAmountCents: 0 } : transaction };
    }],
    ["GET", /^\/api\/v1\/transactions\/(\w+)\/events$/, (call) => ({ data: eventsOf(this.transaction(call)), meta: { next: "f".repeat(32) } })],
    ["POST", /^\/api\/v1\/transactions\/(\w+)\/cancel$/, (call) => this.change(call, { status: "cancelled" })],
    ["POST", /^\/api\/v1\/transactions\/(\w+)\/refund$/, (call) => {
      const { paidAmountCents, refundedAmountCents } = this.transaction(call);
      const amountCents = call.body.amountCents ?? paidAmountCents - refundedAmountCents;
      if (amountCents > paidAmountCents - refundedAmountCents) refuse(400, "ERR_TRANSACTION_005");
      const sum = refundedAmountCents + amountCents;
      const moved = this.transaction(call).refundsMoveMoney;
      return this.change(call, { status: sum === paidAmountCents ? "refunded" : "paid", refundedAmountCents: sum,
        refunds: [{ id: "r9", amountCents, status: moved ? "done" : "recorded", moved, origin: "merchant", requestedAt: iso(now), settledAt: iso(now), reason: call.body.reason ?? null }] }, { confirmed: true });
    }],
    ["POST", /^\/api\/v1\/transactions\/(\w+)\/confirm$/, (call) => this.change(call, { status: "paid", paidAt: call.body.paidAt ?? iso(now),
      paidAmountCents: call.body.amountCents, transactionCode: call.body.endToEndId }, { confirmed: true })],
    ["POST", /^\/api\/v1\/payments\/(\w+)\/(?:accept|return)$/, (call) => {
      this.confirmed();
      const transaction = call.world.transactions.find((each) => each.unappliedPayments.some(({ endToEndId }) => endToEndId === call.id));
      transaction.unappliedPayments = [];
      return { data: this.detail(transaction) };
    }],
    ["POST", /^\/api\/sandbox\/transactions\/(\w+)\/pay$/, (call) => {
      const transaction = this.transaction(call);
      Object.assign(transaction, { status: "paid", paidAt: iso(now), paidAmountCents: transaction.amountCents, transactionCode: `E${"1".repeat(31)}` });
      this.tell(eventsOf(transaction).at(-1));
      return { data: { transactionId: call.id, status: "paid", paidAt: iso(now) } };
    }],
    ["POST", /^\/api\/sandbox\/transactions\/(\w+)\/(?:expire|fail)$/, (call) => {
      const status = call.path.endsWith("fail") ? "failed" : "expired";
      this.change(call, { status });
      return { data: { transactionId: call.id, status, [`${status}At`]: iso(now) } };
    }],
    ["GET", /^\/api\/v1\/customers$/, ({ world, query }) => {
      const words = (query.get("search") ?? "").toLowerCase();
      const { data, meta } = this.page(world.customers.filter((each) => each.name.toLowerCase().includes(words) && (!query.get("isBlocked") || String(each.isBlocked) === query.get("isBlocked"))), query);
      return { data: data.map(this.customerItem), meta };
    }],
    ["GET", /^\/api\/v1\/customers\/(\w+)$/, (call) => this.customerDetail(call)],
    ["POST", /^\/api\/v1\/customers\/(\w+)\/block$/, (call) => {
      missing(["reason"].filter((each) => !call.body[each]));
      Object.assign(this.customer(call), { isBlocked: true, blockType: call.body.blockType, blockedReason: call.body.reason, blockedAt: iso(now), blockExpiresAt: call.body.expiresAt ?? null });
      return this.customerDetail(call);
    }],
    ["POST", /^\/api\/v1\/customers\/(\w+)\/unblock$/, (call) => {
      Object.assign(this.customer(call), { isBlocked: false, blockType: null, blockedReason: null, blockedAt: null });
      return this.customerDetail(call);
    }],
    ["GET", /^\/api\/v1\/blocklist$/, ({ world, query }) => this.page(world.blocklist, query)],
    ["POST", /^\/api\/v1\/blocklist$/, ({ world, body, environment }) => {
      missing(["type", "value"].filter((each) => !body[each]));
      const entry = { id: id(), environment, reason: null, createdAt: iso(now), ...body };
      world.blocklist.unshift(entry);
      return { data: entry };
    }],
    ["DELETE", /^\/api\/v1\/blocklist\/(\w+)$/, ({ world, id }) => ({ data: world.blocklist.splice(world.blocklist.findIndex((each) => each.id === id), 1)[0] })],
    ["POST", /^\/api\/v1\/checkout\/sessions$/, ({ body, environment }) => {
      missing(["originDomain"].filter((each) => !body[each]));
      return { status: 201, data: { id: id(), url: "https://pay.example.com/pay/cmwq34r920001m67gf6bqqw7w-5Xk2", status: "open", environment, transactionId: null, paidTransactionId: null,
        payment: { quantity: 1, expirationDays: null, ...body.payment }, originDomain: body.originDomain, externalId: body.externalId ?? "x", successUrl: null, cancelUrl: null, locale: null,
        webhookUrl: null, webhookApiVersion: "v2", expiresAt: iso(now + 864e5), createdAt: iso(now), updatedAt: iso(now) } };
    }],
    ["GET", /^\/api\/v1\/events$/, ({ headers, response, query }) => {
      if (!headers.accept?.includes("text/event-stream")) return { data: [], meta: { next: (query.get("after") ?? "now").replace("now", "0".repeat(32)) } };
      response.writeHead(200, { "Content-Type": "text/event-stream" }).write(": here\n\n");
      this.streams.add(response);
      response.on("close", () => this.streams.delete(response));
      return undefined;
    }],
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const api = await new FakeApi().start(Number(process.argv[2] ?? 0));
  console.log(api.url);
}
