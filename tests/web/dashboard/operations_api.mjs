// The fake API with what the pages of integration and settings ask for.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { FakeApi, refuse } from "./fake_api.mjs";
import { id, iso, now } from "./sample_data.mjs";

const hour = 3_600_000;

const channel = (more) => ({ id: id(), name: "ERP", url: "https://erp.example.com/pix", events: ["transaction.created", "transaction.paid", "transaction.expired",
  "transaction.refunded", "transaction.cancelled", "transaction.failed"], environments: ["live", "sandbox"], isActive: true, webhookApiVersion: "v2", secretHint: "9f3c",
  health: { status: "ok", consecutiveFailures: 0, lastSuccessAt: iso(now - 90_000), lastFailureAt: iso(now - 9 * hour), disabledReason: null },
  createdAt: iso(now - 90 * 24 * hour), updatedAt: iso(now - 24 * hour), ...more });

function delivery(channelId, index) {
  const event = ["transaction.paid", "transaction.created", "transaction.expired", "transaction.refunded"][index % 4];
  const status = index === 0 ? "exhausted" : index % 7 === 3 ? "failed" : "delivered";
  const at = now - index * 0.6 * hour;
  const attempt = (number, httpStatus) => ({ number, at: iso(at + number * 1500), httpStatus, latencyMs: 84 + index, error: httpStatus === 200 ? null : "answered 500" });
  return { id: id(), channelId, event, transactionId: id(), externalId: `pedido-${1100 - index}`, environment: index % 5 === 1 ? "sandbox" : "live", status, attempts: status === "delivered" ? [attempt(1, 200)] : [attempt(1, 500), attempt(2, 500)],
    nextAttemptAt: status === "failed" ? iso(now + hour) : null, createdAt: iso(at) };
}

const key = (more) => ({ id: `0f1e2d3c4b5a69788796a5${(++keys).toString(16).padStart(2, "0")}`, name: null, environment: "live", prefix: `sk_${more.environment === "sandbox" ? "test" : "live"}_`, lastFour: "c3D4", scopes: ["transactions:read", "transactions:write"],
  createdAt: iso(now - 60 * 24 * hour), expiresAt: null, revokedAt: null, lastUsedOn: "2026-11-21", allowedIps: [], ...more });
let keys = 0;

const failedRequest = (code, status, field, method, route, minutes) => ({ at: iso(now - minutes * 60_000), method, route, status, code, fields: field ? [field] : [],
  requestId: `req_${id()}`, keyId: "0f1e2d3c4b5a69788796a5b4", userId: null, environment: "live" });
const failed = [
  failedRequest("ERR_VALIDATION_001", 400, "customer.document", "POST", "/api/v1/transactions", 4),
  failedRequest("ERR_VALIDATION_001", 400, "customer.document", "POST", "/api/v1/transactions", 9),
  failedRequest("ERR_VALIDATION_001", 400, "payment.amountCents", "POST", "/api/v1/transactions", 31),
  failedRequest("ERR_TRANSACTION_001", 404, null, "GET", "/api/v1/transactions/{id}", 44),
  failedRequest("ERR_HTTP_503", 503, null, "GET", "/api/v1/events", 300),
  { ...failedRequest("ERR_TRANSACTION_001", 404, null, "GET", "/api/v1/transactions/{id}", 310), environment: "sandbox" },
];
function groupsOf(requests) {
  const groups = new Map();
  for (const { code, status, fields, at, method, route, environment } of requests) {
    const name = `${code} ${fields[0]} ${environment}`;
    const group = groups.get(name) ?? { code, field: fields[0] ?? null, status, count: 0, lastAt: at, method, route, environment };
    group.count += 1;
    groups.set(name, group);
  }
  return [...groups.values()];
}

// With what the receiver said, which is not what anybody wrote for a page.
const answered = ({ attempts, ...delivery }) => ({ ...delivery, attempts: attempts.map((each) => ({ ...each,
  response: each.httpStatus === 200 ? "" : `<img src=x onerror="alert(1)"> pedido ${delivery.externalId} desconhecido` })) });

export class OperationsApi extends FakeApi {
  role = "owner";
  members = [
    { userId: id(), email: "dona@loja.example.com", role: "owner", addedAt: iso(now - 90 * 24 * hour), invitationPending: false, lastSignInAt: iso(now - hour) },
    { userId: id(), email: "caixa@loja.example.com", role: "operator", addedAt: iso(now - 30 * 24 * hour), invitationPending: false, lastSignInAt: iso(now - 26 * hour) },
    { userId: id(), email: "contador@example.com", role: "viewer", addedAt: iso(now - hour), invitationPending: true, lastSignInAt: null },
  ];
  keys = [key({ name: "Loja virtual" }), key({ name: "Planilha", scopes: ["transactions:read"], expiresAt: iso(now + 900 * hour), lastUsedOn: null }),
    key({ name: "Testes", environment: "sandbox" }), key({ name: "Site antigo", revokedAt: iso(now - 50 * hour) })];
  channels = [channel({}), channel({ name: null, url: "https://antigo.example.com/webhooks/pix/recebe", webhookApiVersion: "v1", secretHint: "77aa",
    health: { status: "failing", consecutiveFailures: 3, lastSuccessAt: iso(now - 5 * hour), lastFailureAt: iso(now - 60_000), disabledReason: null } }),
    channel({ name: "Contabilidade", url: "https://contas.example.com/pix", isActive: false, events: ["transaction.paid"],
      health: { status: "disabled", consecutiveFailures: 0, lastSuccessAt: null, lastFailureAt: null, disabledReason: "gone" } })];
  store = null; // as it was changed
  receipt = null; // what a charge's receipt is
  log = new Map(); // by channel

  constructor() {
    super();
    this.routes.unshift(...this.operations());
  }

  async answer(request, response) {
    if (request.url !== "/openapi.json") return super.answer(request, response);
    return response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(this.document));
  }

  current() {
    const { projects, ...rest } = super.current();
    return { ...rest, projects: projects.map((project) => ({ ...project, role: this.role })) };
  }
  manages() { if (this.role !== "owner") refuse(403, "ERR_AUTH_012"); }
  // The sandbox reaches what is of the sandbox alone.
  mayReach(environment, { environments }) { return environment === "live" || !environments.includes("live"); }
  channel(id, environment = "live") {
    const channel = this.channels.find((each) => each.id === id) ?? refuse(404, "ERR_CHANNEL_001");
    return this.mayReach(environment, channel) ? channel : refuse(403, "ERR_AUTH_010");
  }
  deliveriesOf(id) {
    if (!this.log.has(id)) this.log.set(id, Array.from({ length: 23 }, (_, index) => delivery(id, index)));
    return this.log.get(id);
  }
  found = (list, id, name, code) => list.find((each) => each[name] === id) ?? refuse(404, code);

  operations() {
    const channels = "\\/api\\/v1\\/notification-channels";
    const at = (path) => new RegExp(`^${path}$`);
    const secret = `whsec_${"5e884898da280471".repeat(4)}`;
    return [
      ["GET", at(channels), ({ query, environment }) => this.page(this.channels.filter((each) => this.mayReach(environment, each)), query)],
      ["POST", at(channels), ({ body, environment }) => {
        this.confirmed();
        const environments = body.environments ?? (environment === "live" ? ["live", "sandbox"] : ["sandbox"]);
        if (!this.mayReach(environment, { environments })) refuse(403, "ERR_AUTH_010");
        if (new URL(body.url).hostname === "intern.example.com") refuse(400, "ERR_VALIDATION_001", [{ field: "url", reason: "must be an https URL of a public host" }]);
        const added = channel({ ...body, environments, name: body.name ?? null, health: { status: "ok", consecutiveFailures: 0, lastSuccessAt: null, lastFailureAt: null, disabledReason: null } });
        this.channels.unshift(added);
        this.log.set(added.id, []);
        return { status: 201, data: { ...added, secret } };
      }],
      ["GET", at(`${channels}\\/events`), (call) => this.example(call)],
      ["GET", at(`${channels}\\/(\\w+)`), ({ id, environment }) => ({ data: this.channel(id, environment) })],
      ["PATCH", at(`${channels}\\/(\\w+)`), ({ id, body }) => ({ data: Object.assign(this.channel(id), body) })],
      ["DELETE", at(`${channels}\\/(\\w+)`), ({ id }) => ({ data: this.channels.splice(this.channels.indexOf(this.channel(id)), 1)[0] })],
      ["POST", at(`${channels}\\/(\\w+)\\/rotate-secret`), ({ id, body }) => (this.confirmed(), { data: { ...this.channel(id), secret, graceEndsAt: iso(now + (body.graceSeconds ?? 86_400) * 1000) } })],
      ["POST", at(`${channels}\\/(\\w+)\\/test`), ({ id }) => {
        const test = { ...delivery(id, 1), event: "webhook.test", transactionId: null, externalId: null, createdAt: iso(now) };
        this.deliveriesOf(id).unshift(test);
        return { status: 202, data: test };
      }],
      ["POST", at(`${channels}\\/(\\w+)\\/recover`), ({ body }) => (body.dryRun ? { data: { queued: 3, hastened: 1 } } : { status: 202, data: { queued: 3, hastened: 1 } })],
      ["GET", at(`${channels}\\/(\\w+)\\/deliveries`), ({ id, query }) =>
        this.page(this.deliveriesOf(id).filter((each) => ["status", "transactionId"].every((name) => !query.get(name) || each[name] === query.get(name))), query)],
      ["GET", at(`${channels}\\/(\\w+)\\/stats`), () => ({ data: { hours: Array.from({ length: 24 }, (_, index) => ({ hour: iso(now - (23 - index) * hour), delivered: (index * 7) % 19,
        failed: index % 6 === 5 ? 2 : 0 })), delivered: 214, failed: 8, pending: 1, latencyP50Ms: 84, latencyP95Ms: 612, errors: [{ error: "answered 500", count: 6 }, { error: "timed out", count: 2 }],
        completeSince: iso(now - 9 * hour) } })],
      ["GET", at(`${channels}\\/(\\w+)\\/preview`), () => {
        const { v2 } = this.document.webhooks["transaction.created"].post.requestBody.content["application/json"].examples;
        const { eventId, environment, status, ...old } = v2.value.data;
        const sample = (body) => ({ headers: { "X-Webhook-Signature": "***", "X-Webhook-Event": "transaction.created" }, body: JSON.stringify(body) });
        return { data: { event: "transaction.created", isSample: true, v1: sample({ ...v2.value, apiVersion: undefined, data: old }), v2: sample(v2.value) } };
      }],
      ["GET", /^\/api\/v1\/deliveries\/(\w+)$/, ({ id }) => ({ data: { ...answered([...this.log.values()].flat().find((each) => each.id === id)), request: {
        url: "https://erp.example.com/pix", webhookApiVersion: "v2", attempt: 1,
        headers: { "Content-Type": "application/json", "X-Webhook-Id": id, "X-Webhook-Signature": "***" },
        body: '{"event":"transaction.paid","apiVersion":"v2","title":"<b>Paid</b>"}' } } })],
      ["POST", /^\/api\/v1\/deliveries\/(\w+)\/redeliver$/, ({ id }) => {
        const again = [...this.log.values()].flat().find((each) => each.id === id);
        return { status: 202, data: Object.assign(again, { status: "delivered", nextAttemptAt: null }) };
      }],
      ["GET", /^\/api\/v1\/requests$/, ({ query }) => {
        const some = failed.filter(({ code, fields }) => (!query.get("code") || code === query.get("code")) && (!query.get("field") || fields.includes(query.get("field"))));
        return { data: { groups: groupsOf(some), recent: some } };
      }],
      ["GET", /^\/api\/v1\/connections$/, () => ({ data: [
        { id: id(), alias: "banco", providerId: "pix-api", providerName: "API Pix", environment: "live", isDefault: true, isEnabled: true, state: "ok", lastPollAt: iso(Date.now() - 40_000),
          certificateEndsAt: iso(Date.now() + 12 * 24 * hour), breakerOpen: false },
        { id: id(), alias: "pix", providerId: "pix", providerName: "PIX BR Code", environment: "sandbox", isDefault: false, isEnabled: true,
          state: null, lastPollAt: null, certificateEndsAt: null, breakerOpen: null },
        { id: id(), alias: "reserva", providerId: "pix-api", providerName: "API Pix", environment: "live", isDefault: false, isEnabled: true, state: "behind",
          lastPollAt: iso(Date.now() - hour), certificateEndsAt: iso(Date.now() + 300 * 24 * hour), breakerOpen: false },
        { id: id(), alias: "antigo", providerId: "pix-api", providerName: "API Pix", environment: "live", isDefault: false, isEnabled: true, state: "left_alone",
          lastPollAt: iso(Date.now() - 9 * hour), certificateEndsAt: iso(Date.now() - 24 * hour), breakerOpen: true }] })],
      ["GET", /^\/api\/v1\/keys$/, ({ query }) => (this.manages(), this.page(this.keys, query))],
      ["POST", /^\/api\/v1\/keys$/, ({ body }) => {
        this.manages();
        this.confirmed();
        const issued = key({ ...body, lastUsedOn: null });
        this.keys.unshift(issued);
        return { status: 201, data: { ...issued, key: `sk_${body.environment === "live" ? "live" : "test"}_${"a1B2c3D4".repeat(7).slice(0, 53)}` } };
      }],
      ["POST", /^\/api\/v1\/keys\/(\w+)\/roll$/, ({ id, body }) => {
        const old = this.found(this.keys, id, "id", "ERR_KEY_001");
        old.expiresAt = iso(now + (body.overlapSeconds ?? 86_400) * 1000);
        const issued = key({ name: old.name, environment: old.environment, scopes: old.scopes, lastUsedOn: null });
        this.keys.unshift(issued);
        return { status: 201, data: { ...issued, key: `sk_live_${"z9Y8x7W6".repeat(7).slice(0, 53)}` } };
      }],
      ["POST", /^\/api\/v1\/keys\/(\w+)\/revoke$/, ({ id }) => ({ data: Object.assign(this.found(this.keys, id, "id", "ERR_KEY_001"), { revokedAt: iso(now) }) })],
      ["GET", /^\/api\/v1\/members$/, () => (this.manages(), { data: this.members })],
      ["POST", /^\/api\/v1\/members$/, ({ body }) => {
        const there = this.members.find(({ email }) => email === body.email);
        if (there) return { status: 201, data: { userId: there.userId, email: body.email, role: body.role, url: null, expiresAt: null } };
        this.confirmed();
        const member = { userId: id(), ...body, addedAt: iso(now), invitationPending: true, lastSignInAt: null };
        this.members.push(member);
        const { userId, email, role } = member;
        return { status: 201, data: { userId, email, role, url: `${this.url}/#/convite/ui_${"Qx7".repeat(15).slice(0, 43)}`, expiresAt: iso(now + 24 * hour) } };
      }],
      ["PATCH", /^\/api\/v1\/members\/(\w+)$/, ({ id, body }) => {
        const member = this.found(this.members, id, "userId", "ERR_MEMBER_001");
        if (member.role === "owner" && body.role !== "owner" && this.members.filter(({ role }) => role === "owner").length === 1) refuse(400, "ERR_MEMBER_002");
        return { data: Object.assign(member, body) };
      }],
      ["DELETE", /^\/api\/v1\/members\/(\w+)$/, ({ id }) => (this.members = this.members.filter(({ userId }) => userId !== id), { data: { userId: id } })],
      ["POST", /^\/api\/v1\/members\/(\w+)\/invite$/, ({ id }) => ({ status: 201, data: { userId: id, url: `${this.url}/#/convite/ui_${"Rz9".repeat(15).slice(0, 43)}`, expiresAt: iso(now + 24 * hour) } })],
      ["PATCH", /^\/api\/v1\/store$/, (call) => {
        this.manages();
        if (call.body.timezone === "America/Nowhere") refuse(400, "ERR_VALIDATION_001", [{ field: "timezone", reason: "must be the IANA name of a time zone" }]);
        const before = this.store ?? this.plainStore(call);
        this.store = { ...before, ...call.body };
        for (const name of ["logo", "color", "supportContact"]) this.store[name] ||= null;
        return { data: this.store };
      }],
      ["GET", /^\/api\/v1\/store$/, (call) => ({ data: this.store ?? this.plainStore(call) })],
      ["GET", /^\/api\/v1\/transactions\/(\w+)\/receipt$/, () => (this.receipt ? { data: this.receipt } : refuse(404, "ERR_TRANSACTION_001"))],
      ["GET", /^\/api\/v1\/exports\/(\w+)$/, ({ id, query, response }) => {
        response.writeHead(200, { "Content-Type": "text/csv; charset=utf-8", "Content-Disposition": `attachment; filename="${id}.csv"` });
        response.end(`id,what,from,to\n1,${id},${query.get("from")},${query.get("to")}\n`);
        return undefined;
      }],
    ];
  }
  plainStore(call) {
    const [, , work] = this.routes.findLast(([method, pattern]) => method === "GET" && pattern.test("/api/v1/store"));
    return work(call).data;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const api = new OperationsApi();
  if (process.argv[3]) api.receipt = JSON.parse(readFileSync(process.argv[3], "utf8"));
  await api.start(Number(process.argv[2] ?? 0));
  console.log(api.url);
}
