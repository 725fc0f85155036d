// What the fake API knows of a shop: made up, and the same at every start.
const day = 86_400_000;
export const now = Date.parse("2026-11-21T15:00:00.000Z");
export const iso = (ms) => new Date(ms).toISOString();

let seed = 7;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const pick = (list) => list[Math.floor(random() * list.length)];
let count = 0;
export const id = () => `cmwq${(++count).toString(36).padStart(6, "0")}0001m67gf6bqqw7`.slice(0, 25);
const endToEndId = () => `E12345678202611211205${String(++count).padStart(11, "0")}`;

const names = ["Ana Lima", "Bruno Souza", "Carla Mendes", "Davi Nascimento", "Elisa Prado", "Fábio <b>Rocha</b>", "Gabriela Teixeira de Albuquerque",
  "Heitor Alves", "Isabel Cardoso", "João Pedro"];
const products = ["Camiseta", "Curso de cerâmica", "Assinatura anual", "Kit de pincéis", "Vaso & prato", "Frete expresso"];
const statuses = ["paid", "paid", "paid", "paid", "waiting_payment", "expired", "cancelled", "refunded", "processing"];
const connection = { id: id(), alias: "pix", providerId: "pix", providerName: "PIX BR Code" };
const pixCode = "00020126380014br.gov.bcb.pix0116loja@example.com520400005303986540519.905802BR5910Minha Loja6006RECIFE62290525cmwq34r920001m67gf6bqqw7w6304EF94";

export function customersOf(environment) {
  return names.map((name, index) => ({
    id: id(), environment, name, document: index % 4 === 3 ? "11222333000181" : "52998224725", phone: "11987654321",
    email: `${name.toLowerCase().replace(/[^a-z]+/g, ".").replace(/\.$/, "")}@example.com`, street: "Rua das Flores", streetNumber: "12", neighborhood: "Centro",
    complement: null, zipCode: "50000-000", city: "Recife", state: "PE", country: "BR", metadata: { canal: "instagram" },
    isBlocked: index === 5, createdAt: iso(now - (60 - index) * day), updatedAt: iso(now - index * day),
    projectId: "cmwqproject00000000000001", blockedAt: index === 5 ? iso(now - day) : null, blockedReason: index === 5 ? "Contestou três compras" : null,
    blockExpiresAt: null, blockType: index === 5 ? "fraud" : null,
    fraudEvents: index === 5 ? [{ id: id(), reason: "The customer is blocked.", fraudType: "blocked_customer", amountCents: 45900, product: "Camiseta",
      createdAt: iso(now - day / 2), customerIp: "203.0.113.9" }] : [],
  }));
}

export function transactionsOf(environment, customers, how = 57) {
  return Array.from({ length: how }, (_, index) => {
    const customer = pick(customers);
    const createdAt = now - index * 0.47 * day - 3_600_000;
    const status = index === 0 ? "waiting_payment" : index === 1 ? "paid" : index === 2 ? "expired" : pick(statuses);
    const amountCents = 1990 + Math.floor(random() * 60) * 515;
    const isPaid = status === "paid" || status === "refunded";
    const unapplied = index === 2 ? [{ endToEndId: endToEndId(), amountCents, paidAt: iso(createdAt + 4e6), receivedAt: iso(createdAt + 4e6 + 900),
      flag: "PAID_AFTER_EXPIRY", isReturning: false, returnedAt: null }] : [];
    return {
      id: id(), externalId: `pedido-${1100 - index}`, transactionCode: isPaid ? endToEndId() : null, status, environment, amountCents, product: pick(products),
      quantity: 1, paidAt: isPaid ? iso(createdAt + 95_000) : null, paidAmountCents: isPaid ? amountCents : null, createdAt: iso(createdAt),
      updatedAt: iso(createdAt + 95_000), metadata: index % 3 ? {} : { canal: "instagram" }, pixCode, expirationDate: iso(createdAt + 1_800_000),
      refundedAt: status === "refunded" ? iso(createdAt + day) : null, refundedAmountCents: status === "refunded" ? amountCents : 0,
      customer, connection, originDomain: "loja.example.com", unappliedPayments: unapplied, refundsMoveMoney: environment === "live",
      refunds: status === "refunded" ? [{ id: "r1", amountCents, status: environment === "live" ? "done" : "recorded", moved: environment === "live", origin: "merchant", requestedAt: iso(createdAt + day), settledAt: iso(createdAt + day),
        reason: "Cliente desistiu" }] : [],
    };
  });
}

// An event as in the feed.
export function eventsOf(transaction) {
  const common = { environment: transaction.environment, transactionId: transaction.id, customerId: transaction.customer.id };
  const at = (ms) => iso(Date.parse(transaction.createdAt) + ms);
  const event = (number, name, occurredAt, actor, data) => ({ id: `${transaction.id.slice(4, 10)}${number}`.replace(/[^0-9a-f]/g, "0").padStart(32, "0"),
    event: `transaction.${name}`, ...common, occurredAt, actor, requestId: `req_${number}${transaction.id.slice(1, 20)}`, data });
  const { amountCents, transactionCode, status } = transaction;
  const events = [event(1, "created", at(0), "key-cmwqkey000000000000000001", { environment: transaction.environment, externalId: transaction.externalId,
    amountCents, product: transaction.product, quantity: 1, originDomain: "loja.example.com", connectionId: transaction.connection.id,
    expirationDate: transaction.expirationDate, pixCode, metadata: {} })];
  if (status === "paid" || status === "refunded") events.push(event(2, "paid", at(95_000), "worker-providers", { endToEndId: transactionCode, amountCents,
    paidAt: at(95_000), feeCents: 99 }));
  if (status === "refunded") events.push(event(3, "refunded", at(day), "user-cmwquser00000000000000001",
    { refundId: transaction.refunds[0].id, amountCents, refundedAmountCents: amountCents, reason: "Cliente desistiu" }));
  if (status === "expired") events.push(event(2, "expired", at(1_800_000), "worker-expiry", {}));
  if (status === "cancelled") events.push(event(2, "cancelled", at(600_000), "user-cmwquser00000000000000001", {}));
  for (const { receivedAt, isReturning, returnedAt, ...payment } of transaction.unappliedPayments) events.push({ ...event(3, "paid", receivedAt, "worker-providers", payment), event: "payment.unapplied" });
  return events;
}

export function statsOf(from, to) {
  const days = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += day) {
    const created = 20 + Math.floor(random() * 40);
    const paid = Math.floor(created * (0.55 + random() * 0.3));
    days.push({ day: iso(at).slice(0, 10), created, createdCents: created * 8900, converted: paid, paid, paidCents: paid * 8900, refundedCents: random() > 0.7 ? 8900 : 0,
      timeToPayP50Seconds: paid ? 60 + (paid % 7) * 9 : null, timeToPayP90Seconds: paid ? 500 + (paid % 9) * 31 : null });
  }
  const sum = (name) => days.reduce((total, each) => total + each[name], 0);
  return { days, totals: { created: sum("created"), createdCents: sum("createdCents"), converted: sum("converted"), paid: sum("paid"), paidCents: sum("paidCents"), refundedCents: sum("refundedCents"),
    conversion: sum("created") ? sum("converted") / sum("created") : null, timeToPayP50Seconds: 74, timeToPayP90Seconds: 611, unappliedCount: 1, unappliedCents: 12_890, unmatchedCount: 1, unmatchedCents: 3_333, failingChannels: 1, activeChannels: 2, untriedChannels: 0 } };
}

export const user = { id: "cmwquser00000000000000001", email: "dona@loja.example.com", hasPasskey: true, hasPassword: true, hasTotp: true, recoveryCodesLeft: 6 };
export const projects = [{ id: "cmwqproject00000000000001", name: "Ateliê da Ana", role: "owner" }, { id: "cmwqproject00000000000002", name: "Livraria Recife", role: "viewer" }];
export const store = { id: projects[0].id, name: "Ateliê da Ana", pixKey: "loj****.com", merchantName: "Atelie da Ana", merchantCity: "RECIFE", maxTransactionAmountCents: 1_000_000,
  pixExpirationMinutes: 30, verifyDocuments: true, feeFixedCents: 0, feeBasisPoints: 99, devMode: false, contact: "oi@loja.example.com", timezone: "America/Recife",
  logo: null, color: "#0a6b3d", supportContact: "oi@loja.example.com", embedOrigins: [], payerProofs: true, returnPublicKey: "A".repeat(43) + "=" };
