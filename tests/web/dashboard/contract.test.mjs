// The double that the pages are tried with answers as the API's document says, operation by operation.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Contract } from "./contract.mjs";
import { otherSignInId, password } from "./fake_api.mjs";
import { OperationsApi } from "./operations_api.mjs";

const signIn = { email: "dona@loja.example.com", password, totp: "123456" };

// What each operation is asked, where it is not its document's first example of nothing in particular.
function callsOf(api) {
  const { transactions, customers, blocklist } = api.worlds.live;
  const { transactions: tries } = api.worlds.sandbox;
  const of = (status) => transactions.find((each) => each.status === status);
  const sandbox = { environment: "sandbox" };
  const [channel] = api.channels;
  const [delivery] = api.deliveriesOf(channel.id);
  const unapplied = transactions.filter((each) => each.unappliedPayments.length);
  return {
    listTransactionsV1: [{}, { query: { status: "paid,refunded", limit: 100 } }, { query: { page: 99 } }],
    getTransactionV1: [...["waiting_payment", "paid", "expired", "refunded", "cancelled", "processing"].map((status) => ({ id: of(status).id })),
      { id: of("paid").id, query: { asOf: "2026-11-20T12:00:00.000Z" } }, { id: "cmwqnothing00000000000000" }],
    listTransactionEvents: transactions.map(({ id }) => ({ id })),
    cancelTransaction: [{ id: of("waiting_payment").id }],
    refundTransaction: [{ id: of("paid").id, body: { amountCents: 100, reason: "troca" } }, { id: of("paid").id, body: { amountCents: 99_999_999 } }],
    confirmPayment: [{ id: of("processing").id, body: { endToEndId: `E${"1".repeat(31)}`, amountCents: 100 } }],
    acceptPayment: [{ id: unapplied[0].unappliedPayments[0].endToEndId }],
    returnPayment: [{ id: api.worlds.sandbox.transactions[2].unappliedPayments[0].endToEndId, body: { reason: "em dobro" }, ...sandbox }],
    simulatePayment: [{ id: tries[0].id, ...sandbox }],
    simulateExpiry: [{ id: tries[1].id, ...sandbox }],
    simulateFailure: [{ id: tries[3].id, ...sandbox }],
    getCustomerV1: customers.map(({ id }) => ({ id })),
    blockCustomer: [{ id: customers[0].id }],
    unblockCustomer: [{ id: customers[0].id }],
    removeBlocklistEntry: [{ id: blocklist[0].id }],
    getReceipt: [{ id: of("paid").id }],
    createSignIn: [{ body: signIn }, { body: { ...signIn, password: "wrong horse battery" } }],
    confirmSignIn: [{ body: { password, totp: "123456" } }, { body: { password: "wrong horse battery", totp: "123456" } }],
    endSignIn: [{ id: otherSignInId }],
    removePasskey: [{ id: api.passkeys[0].id }],
    setTotp: [{ body: {} }, { body: { code: "123456" } }, { body: { code: "000000" } }],
    addPasskey: [{ body: { challengeId: "c1", name: "Celular", credentialId: "AAAA", clientDataJson: "AAAA", authenticatorData: "AAAA", publicKey: "AAAA", algorithm: -7 } }, { body: { name: "x" } }],
    getChannel: api.channels.map(({ id }) => ({ id })),
    ...Object.fromEntries(["updateChannel", "rotateSecret", "testChannel", "recoverDeliveries", "listDeliveries", "getChannelStats", "previewChannel"]
      .map((name) => [name, [{ id: channel.id }]])),
    deleteChannel: [{ id: api.channels[2].id }],
    getDelivery: [{ id: delivery.id }],
    redeliver: [{ id: delivery.id }],
    rollKey: [{ id: api.keys[0].id }],
    revokeKey: [{ id: api.keys[1].id }],
    changeMember: [{ id: api.members[1].userId, body: { role: "viewer" } }, { id: api.members[0].userId, body: { role: "viewer" } }],
    inviteMember: [{ id: api.members[2].userId }],
    removeMember: [{ id: api.members[1].userId }],
    search: [{ query: { q: "ana" } }],
    getStats: [{ query: { from: "2026-11-01", to: "2026-11-21" } }],
  };
}
// Ended, thrown away or taken back last, so that the others have something to work on.
const last = ["removeTotp", "cancelTransaction", "deleteChannel", "endCurrentSignIn"];
// What the dashboard never asks for, or what is no JSON of the API's.
const left = ["getDocument", "getMetrics", "isAlive", "isReady", "exportTable", "getQrSvg", "getQrPng"];

test("every operation of the fake API answers as the document says", async (t) => {
  const api = await new OperationsApi().start();
  t.after(() => api.stop());
  api.contract = new Contract();
  const given = callsOf(api);
  const { document, promises } = api.contract;
  const { value } = api.session();
  const reached = new Set();
  const routeOf = api.route.bind(api);
  api.route = (call) => {
    reached.add(api.routes.find(([method, pattern]) => method === call.method && pattern.test(call.path)));
    return routeOf(call);
  };
  const operations = [...document.operations.values()].filter(({ id }) => !left.includes(id));
  for (const operation of [...operations.filter(({ id }) => !last.includes(id)), ...last.map((id) => document.operations.get(id))]) {
    for (const { id = "cmwqnothing00000000000000", query = {}, body = document.bodies(operation)[0], environment = "live" } of given[operation.id] ?? [{}]) {
      const asked = api.contract.wrong.length;
      const path = operation.path.replace(/\{\w+\}/, id);
      const answer = await fetch(`${api.url}${path}?${new URLSearchParams(query)}`, { method: operation.method, body: typeof body === "object" ? JSON.stringify(body) : body,
        headers: { Cookie: `pixledger=${value}`, "Pixledger-Environment": environment, "Content-Type": typeof body === "string" ? "application/octet-stream" : "application/json" } });
      assert.ok(promises.has(`${operation.id} ${answer.status}`) || answer.status >= 400, operation.id);
      assert.deepEqual(api.contract.wrong.slice(asked), [], `${operation.id} ${answer.status}`);
    }
  }
  const nameOf = ([method, pattern]) => `${method} ${pattern}`;
  const names = new Set([...reached].filter(Boolean).map(nameOf));
  assert.deepEqual(api.routes.map(nameOf).filter((name) => !names.has(name) && !name.includes("exports")), []);
});

test("an answer with a field too few, and a request with one too many, are noticed", () => {
  const contract = new Contract();
  const ask = (query, answer) => contract.judge({ method: "GET", path: "/api/v1/keys", query: new URLSearchParams(query) }, 200, answer);
  ask("", { success: true, data: [], meta: { total: 0, page: 1, limit: 10, totalPages: 0 } });
  assert.deepEqual(contract.wrong, []);
  ask("", { success: true, data: [] });
  ask("surprise=1", { success: true, data: [], meta: { total: 0, page: 1, limit: 10, totalPages: 0 } });
  assert.equal(contract.wrong.length, 2);
});
