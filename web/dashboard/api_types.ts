// The API's schemas, made from http/openapi by tests/web/dashboard/api_types.mjs: change them there.

export type Text = string;

export type TextOrNull = string | null;

export type NameText = string;

export type NameTextOrNull = string | null;

export type Id = string;

export type AnyId = string;

export type Timestamp = string;

export type GivenTime = string;

export type TimestampOrNull = string | null;

export type AmountCents = number;

export type Environment = "live" | "sandbox";

export type TransactionStatus = "waiting_payment" | "processing" | "paid" | "expired" | "cancelled" | "refunded" | "failed";

export type Message = string;

export type Metadata = Record<string, MetadataText>;

export type MetadataText = string;

export type MetadataOrNull = Record<string, MetadataText> | null;

export interface Meta {
  total: number;
  page: number;
  limit: number;
  totalPages: number;
  timezone?: string;
}

export interface Violation {
  field: string;
  reason: string;
  resumeAfter?: EventCursor;
}

export interface Error {
  success: false;
  code: string;
  message: string;
  details: Violation[];
  requestId: RequestId;
}

export interface Problem {
  type: "about:blank";
  title: string;
  status: number;
  detail: string;
  code: string;
  details: Violation[];
  requestId: RequestId;
}

export type RequestId = string;

export interface CustomerSummary {
  id: Id;
  name: string;
  email: string | null;
}

export interface Connection {
  id: Id;
  alias: string;
  providerId: string;
  providerName: string;
}

export type OriginDomain = string;

export interface TransactionFields {
  id: Id;
  externalId: string;
  transactionCode: string | null;
  status: TransactionStatus;
  environment: Environment;
  amountCents: AmountCents;
  product: string;
  quantity: number;
  paidAt: TimestampOrNull;
  paidAmountCents: number | null;
  feeCents: number | null;
  netCents: number | null;
  refundedAmountCents: number;
  unappliedAmountCents: number;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  metadata: Metadata;
}

export type TransactionItemV1 = TransactionFields & ({
  customer: CustomerSummary;
  connection: Connection;
  originDomain: OriginDomain;
  customerEmail: string | null;
  customerName: string;
});

export type TransactionItem = TransactionFields & ({
  customer: CustomerSummary;
  gateway: Connection;
  domain: (Domain | null);
});

export interface Domain {
  id: AnyId;
  host: OriginDomain;
}

export interface TransactionCustomer {
  id: Id;
  name: string;
  document: string | null;
  email: string | null;
  phone: string | null;
}

export interface UnappliedPayment {
  endToEndId: string;
  amountCents: AmountCents;
  paidAt: Timestamp;
  receivedAt: Timestamp;
  flag: "PAID_AFTER_EXPIRY" | "PAID_AFTER_CLOSE" | "DUPLICATE_PAYMENT" | "AMOUNT_MISMATCH";
  isReturning: boolean;
  returnedAt: TimestampOrNull;
}

export interface Refund {
  id: RefundId;
  amountCents: AmountCents;
  status: "pending" | "done" | "failed" | "recorded";
  moved: boolean;
  origin: "merchant" | "bank";
  requestedAt: Timestamp;
  settledAt: TimestampOrNull;
  reason: string | null;
  endToEndId?: string;
}

export interface AddedPayment {
  endToEndId: string;
  amountCents: AmountCents;
  feeCents: number;
  paidAt: Timestamp;
}

export type RefundId = string;

export type PixCode = string;

export type TransactionDetail = TransactionFields & {
  pixCode: PixCode;
  expirationDate: Timestamp;
  refundedAt: TimestampOrNull;
  customer: TransactionCustomer;
  unappliedPayments: UnappliedPayment[];
  addedPayments?: AddedPayment[];
  refundsMoveMoney: boolean;
  refunds: Refund[];
};

export type Transaction = TransactionDetail;

export type ConfirmedTransaction = TransactionDetail & ({
  flag?: "PAID_AFTER_EXPIRY" | "PAID_AFTER_CLOSE" | "DUPLICATE_PAYMENT" | "AMOUNT_MISMATCH";
});

export interface Receipt {
  transactionId: Id;
  checkpoint: string;
  events: ProvenEvent[];
}

export interface ProvenEvent {
  position: number;
  leaf: Base64;
  personal: string | null;
  proof: Hash[];
  event: TransactionEvent;
}

export type Base64 = string;

export type Hash = string;

export type TransactionEvent = {
  position: number;
  stream: string;
  version: number;
  type: string;
  recordedAt: Timestamp;
  actor: string;
  requestId: string | null;
  data: Record<string, unknown>;
} & ({
  type: "ChargeCreated";
  data: {
    transactionId: Id;
    projectId: Id;
    environment: "live" | "sandbox";
    customerId: Id;
    connectionId: Id;
    externalId: string | null;
    amountCents: AmountCents;
    product: string;
    quantity: number;
    originDomain: string;
    expiresAt: Timestamp;
    pixCode: PixCode;
    customerIp: string | null;
    metadata?: Metadata;
    throughBank?: true;
    codeAwaitedUntil?: Timestamp;
    codeFallback?: "static" | "none";
  };
} | {
  type: "ChargePaid";
  data: {
    endToEndId: string;
    amountCents: AmountCents;
    paidAt: Timestamp;
    feeCents: number | null;
  };
} | {
  type: "ChargeFailed";
  data: {
    reason: string | null;
  };
} | {
  type: "ChargeRefunded";
  data: {
    amountCents: AmountCents;
    reason: string | null;
    refundId?: RefundId;
  };
} | {
  type: "ChargeCodeSet";
  data: {
    kind: "dynamic" | "static";
    pixCode: PixCode;
  };
} | {
  type: "RefundRequested";
  data: {
    refundId: RefundId;
    amountCents: AmountCents;
    reason: string | null;
    endToEndId?: string;
  };
} | {
  type: "RefundDone";
  data: {
    refundId: RefundId;
    settledAt: Timestamp;
  };
} | {
  type: "RefundFailed";
  data: {
    refundId: RefundId;
  };
} | {
  type: "UnappliedReturnRequested" | "UnappliedReturnFailed";
  data: {
    refundId: RefundId;
    endToEndId: string;
    reason: string | null;
  };
} | {
  type: "PaymentReversed";
  data: {
    refundId: RefundId;
    returnId: string;
    amountCents: AmountCents;
    reversedAt: Timestamp;
    endToEndId?: string;
  };
} | {
  type: "UnappliedPaymentReversed";
  data: {
    endToEndId: string;
    refundId: RefundId;
    returnId: string;
    amountCents: AmountCents;
    reversedAt: Timestamp;
  };
} | {
  type: "PaymentLeftUnapplied";
  data: {
    endToEndId: string;
    amountCents: AmountCents;
    paidAt: Timestamp;
    flag: "PAID_AFTER_EXPIRY" | "PAID_AFTER_CLOSE" | "DUPLICATE_PAYMENT" | "AMOUNT_MISMATCH";
  };
} | {
  type: "UnappliedPaymentAccepted" | "UnappliedPaymentAdded";
  data: {
    endToEndId: string;
    feeCents: number | null;
  };
} | {
  type: "UnappliedPaymentReturned";
  data: {
    endToEndId: string;
    reason: string | null;
    refundId?: RefundId;
    returnedAt?: Timestamp;
  };
} | {
  type: "ChargeProcessingStarted" | "ChargeExpired" | "ChargeCancelled" | "ChargeCancelRequested" | "ChargeCancelDropped";
  data: Record<string, never>;
});

export interface CreatedTransaction {
  id: Id;
  status: "waiting_payment";
  amountCents: AmountCents;
  qrCode: string;
  pixCode: PixCode;
  expirationDate: Timestamp;
  environment: Environment;
}

export interface PaidSimulation {
  transactionId: Id;
  status: "paid";
  paidAt: Timestamp;
}

export interface ExpiredSimulation {
  transactionId: Id;
  status: "expired";
  expiredAt: Timestamp;
}

export interface FailedSimulation {
  transactionId: Id;
  status: "failed";
  failedAt: Timestamp;
}

export interface CustomerFields {
  id: Id;
  environment: Environment;
  name: string;
  document: string | null;
  phone: string | null;
  email: string | null;
  street: string | null;
  streetNumber: string | null;
  neighborhood: string | null;
  complement: string | null;
  zipCode: string | null;
  city: string | null;
  state: string | null;
  country: string | null;
  metadata: MetadataOrNull;
  isBlocked: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  erasedAt?: Timestamp;
}

export type Customer = CustomerFields;

export interface CustomerDetailFields {
  projectId: Id;
  blockedAt: TimestampOrNull;
  blockedReason: string | null;
  blockExpiresAt: TimestampOrNull;
  blockType: "manual" | "fraud" | null;
  recentTransactions: RecentTransaction[];
  totalTransactions: number;
}

export interface RecentTransaction {
  id: Id;
  amountCents: AmountCents;
  status: TransactionStatus;
  environment: Environment;
  product: string;
  createdAt: Timestamp;
  paidAt: TimestampOrNull;
  paidAmountCents: number | null;
  feeCents: number | null;
  netCents: number | null;
  refundedAmountCents: number;
  unappliedAmountCents: number;
}

export interface FraudEvent {
  id: AnyId;
  reason: string;
  fraudType: "blocked_customer" | "blocklist_ip" | "blocklist_email" | "blocklist_document";
  amountCents: AmountCents;
  product: string;
  createdAt: Timestamp;
  customerIp: string | null;
}

export type EventCursor = string;

export interface EventsMeta {
  next: EventCursor;
}

export type Event = (TransactionCreatedEvent | TransactionPaidEvent | TransactionMovedEvent | TransactionFailedEvent | TransactionRefundedEvent | TransactionCodeSetEvent | RefundRequestedEvent | RefundFailedEvent | TransactionRefusedEvent | PaymentUnappliedEvent | PaymentReturnedEvent | PaymentReturnEvent | PaymentReversedEvent | PaymentAddedEvent | CustomerSavedEvent | CustomerBlockedEvent | CustomerUnblockedEvent | CustomerErasedEvent | BlocklistAddedEvent | BlocklistRemovedEvent | ChannelAddedEvent | ChannelChangedEvent | ChannelDeletedEvent | ChannelSecretRotatedEvent | ChannelDisabledEvent | ChannelTestRequestedEvent | RedeliveryRequestedEvent | RecoveryRequestedEvent | KeyIssuedEvent | KeyExpirySetEvent | KeyRevokedEvent | StoreCreatedEvent | StoreChangedEvent | ConnectionAddedEvent | ConnectionChangedEvent | DefaultConnectionSetEvent | BankConnectionEvent | CheckoutCreatedEvent | CheckoutTransactionAddedEvent | CheckoutCompletedEvent | CheckoutEndedEvent | MemberRoleEvent | MemberEvent);

export interface EventCause {
  actor: string;
  requestId: string | null;
}

export type TransactionHistoryEvent = (TransactionCreatedEvent & EventCause | TransactionPaidEvent & EventCause | TransactionMovedEvent & EventCause | TransactionFailedEvent & EventCause | TransactionRefundedEvent & EventCause | TransactionCodeSetEvent & EventCause | RefundRequestedEvent & EventCause | RefundFailedEvent & EventCause | PaymentUnappliedEvent & EventCause | PaymentReturnedEvent & EventCause | PaymentReturnEvent & EventCause | PaymentReversedEvent & EventCause | PaymentAddedEvent & EventCause);

export interface TransactionCreatedEvent {
  id: EventCursor;
  event: "transaction.created";
  environment: Environment;
  transactionId: AnyId;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    environment: "live" | "sandbox";
    externalId: string;
    amountCents: AmountCents;
    product: string;
    quantity: number;
    originDomain: OriginDomain;
    connectionId: AnyId;
    expirationDate: Timestamp;
    pixCode: PixCode;
    checkoutSessionId?: AnyId;
    metadata: Metadata;
  };
}

export interface TransactionPaidEvent {
  id: EventCursor;
  event: "transaction.paid";
  environment: Environment;
  transactionId: AnyId;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    endToEndId: string;
    amountCents: AmountCents;
    paidAt: Timestamp;
    feeCents: number | null;
  };
}

export interface TransactionMovedEvent {
  id: EventCursor;
  event: "transaction.processing" | "transaction.expired" | "transaction.cancelled" | "transaction.cancel_requested" | "transaction.cancel_dropped";
  environment: Environment;
  transactionId: AnyId;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: Record<string, never>;
}

export interface TransactionFailedEvent {
  id: EventCursor;
  event: "transaction.failed";
  environment: Environment;
  transactionId: AnyId;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    reason: string | null;
  };
}

export interface TransactionRefundedEvent {
  id: EventCursor;
  event: "transaction.refunded" | "transaction.partially_refunded";
  environment: Environment;
  transactionId: AnyId;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    refundId: string | null;
    amountCents: AmountCents;
    refundedAmountCents: AmountCents;
    reason: string | null;
  };
}

export interface TransactionCodeSetEvent {
  id: EventCursor;
  event: "transaction.code_set";
  environment: Environment;
  transactionId: AnyId;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    kind: "dynamic" | "static";
    pixCode: PixCode;
  };
}

export interface RefundRequestedEvent {
  id: EventCursor;
  event: "refund.requested";
  environment: Environment;
  transactionId: AnyId;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    refundId: RefundId;
    amountCents: AmountCents;
    reason: string | null;
  };
}

export interface RefundFailedEvent {
  id: EventCursor;
  event: "refund.failed";
  environment: Environment;
  transactionId: AnyId;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    refundId: RefundId;
  };
}

export interface PaymentReversedEvent {
  id: EventCursor;
  event: "payment.reversed";
  environment: Environment;
  transactionId: AnyId;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    endToEndId: string;
    refundId: RefundId;
    amountCents: AmountCents;
  };
}

export interface PaymentAddedEvent {
  id: EventCursor;
  event: "payment.added";
  environment: Environment;
  transactionId: AnyId;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    endToEndId: string;
    amountCents: AmountCents;
    paidAt: Timestamp;
    paidAmountCents: number;
    feeCents: number | null;
  };
}

export interface PaymentReturnEvent {
  id: EventCursor;
  event: "payment.return_requested" | "payment.return_failed";
  environment: Environment;
  transactionId: AnyId;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    refundId: RefundId;
    endToEndId: string;
    reason: string | null;
  };
}

export interface TransactionRefusedEvent {
  id: EventCursor;
  event: "transaction.refused";
  environment: Environment;
  transactionId: null;
  customerId: string | null;
  occurredAt: Timestamp;
  data: {
    fraudType: "blocked_customer" | "blocklist_ip" | "blocklist_email" | "blocklist_document";
    amountCents: AmountCents;
    product: string;
  };
}

export interface PaymentUnappliedEvent {
  id: EventCursor;
  event: "payment.unapplied";
  environment: Environment;
  transactionId: AnyId;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    endToEndId: string;
    amountCents: AmountCents;
    paidAt: Timestamp;
    flag: "PAID_AFTER_EXPIRY" | "PAID_AFTER_CLOSE" | "DUPLICATE_PAYMENT" | "AMOUNT_MISMATCH";
  };
}

export interface PaymentReturnedEvent {
  id: EventCursor;
  event: "payment.returned";
  environment: Environment;
  transactionId: AnyId;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    endToEndId: string;
    reason: string | null;
  };
}

export interface CustomerSavedEvent {
  id: EventCursor;
  event: "customer.created" | "customer.updated";
  environment: Environment;
  transactionId: null;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    name: string | null;
    document: string | null;
    email: string | null;
    phone: string | null;
    street: string | null;
    streetNumber: string | null;
    neighborhood: string | null;
    complement: string | null;
    zipCode: string | null;
    city: string | null;
    state: string | null;
    country: string | null;
    metadata: MetadataOrNull;
  };
}

export interface CustomerBlockedEvent {
  id: EventCursor;
  event: "customer.blocked";
  environment: Environment;
  transactionId: null;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: {
    blockType: "manual" | "fraud";
    reason: string | null;
    blockExpiresAt: TimestampOrNull;
  };
}

export interface CustomerUnblockedEvent {
  id: EventCursor;
  event: "customer.unblocked";
  environment: Environment;
  transactionId: null;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: Record<string, never>;
}

export interface CustomerErasedEvent {
  id: EventCursor;
  event: "customer.erased";
  environment: Environment;
  transactionId: null;
  customerId: AnyId;
  occurredAt: Timestamp;
  data: Record<string, never>;
}

export interface BlocklistAddedEvent {
  id: EventCursor;
  event: "blocklist.added";
  environment: Environment;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    entryId: AnyId;
    type: "ip" | "cidr" | "email" | "document" | null;
    value: string | null;
    reason: string | null;
  };
}

export interface BlocklistRemovedEvent {
  id: EventCursor;
  event: "blocklist.removed";
  environment: Environment;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    entryId: AnyId;
  };
}

export interface ChannelAddedEvent {
  id: EventCursor;
  event: "channel.added";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    channelId: AnyId;
    name: string | null;
    url: string;
    events: string;
    webhookApiVersion: "v1" | "v2";
    environments: "live" | "sandbox" | "live,sandbox" | null;
    checkoutSessionId?: AnyId;
  };
}

export interface ChannelChangedEvent {
  id: EventCursor;
  event: "channel.changed";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    channelId: AnyId;
    name: string | null;
    url: string;
    events: string;
    webhookApiVersion: "v1" | "v2";
    isActive: boolean;
    environments: "live" | "sandbox" | "live,sandbox" | null;
  };
}

export interface ChannelDeletedEvent {
  id: EventCursor;
  event: "channel.deleted";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    channelId: AnyId;
  };
}

export interface ChannelSecretRotatedEvent {
  id: EventCursor;
  event: "channel.secret_rotated";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    channelId: AnyId;
    graceEndsAt: Timestamp;
  };
}

export interface ChannelDisabledEvent {
  id: EventCursor;
  event: "channel.disabled";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    channelId: AnyId;
    reason: "gone" | "failing";
  };
}

export interface ChannelTestRequestedEvent {
  id: EventCursor;
  event: "channel.test_requested";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    channelId: AnyId;
    deliveryId: AnyId;
    environment: "live" | "sandbox";
  };
}

export interface RedeliveryRequestedEvent {
  id: EventCursor;
  event: "channel.redelivery_requested";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    channelId: AnyId;
    deliveryId: AnyId;
  };
}

export interface RecoveryRequestedEvent {
  id: EventCursor;
  event: "channel.recovery_requested";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    channelId: AnyId;
    since: Timestamp;
    until: Timestamp;
    queued: number;
    hastened: number;
  };
}

export interface KeyIssuedEvent {
  id: EventCursor;
  event: "api_key.issued";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    keyId: string;
    environment: "live" | "sandbox";
    scopes: string;
    sandboxOnly: boolean;
    expiresAt: TimestampOrNull;
  };
}

export interface KeyExpirySetEvent {
  id: EventCursor;
  event: "api_key.expiry_set";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    keyId: string;
    expiresAt: Timestamp;
  };
}

export interface KeyRevokedEvent {
  id: EventCursor;
  event: "api_key.revoked";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    keyId: string;
  };
}

export interface StoreCreatedEvent {
  id: EventCursor;
  event: "store.created";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    name: string;
    devMode: boolean;
    pixExpirationMinutes: number;
    maxTransactionAmountCents: AmountCents;
  };
}

export interface StoreChangedEvent {
  id: EventCursor;
  event: "store.changed";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    name: string;
    devMode: boolean;
    pixExpirationMinutes: number;
    maxTransactionAmountCents: AmountCents;
    changed: string[];
    before: StoreSettingsThen;
    after: StoreSettingsThen;
  };
}

export interface ConnectionAddedEvent {
  id: EventCursor;
  event: "connection.added";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    connectionId: Id;
    alias: string;
    providerId: string;
    providerName: string;
    environment: "live" | "sandbox";
  };
}

export interface ConnectionChangedEvent {
  id: EventCursor;
  event: "connection.changed";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    connectionId: Id;
    alias: string;
    providerId: string;
    providerName: string;
    environment: "live" | "sandbox";
    isEnabled: boolean;
  };
}

export interface DefaultConnectionSetEvent {
  id: EventCursor;
  event: "connection.default_set";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    connectionId: Id;
    environment: "live" | "sandbox";
  };
}

export interface BankConnectionEvent {
  id: EventCursor;
  event: "connection.configured" | "connection.callback_registered" | "connection.callback_removed";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    connectionId: Id;
  };
}

export interface MemberRoleEvent {
  id: EventCursor;
  event: "member.added" | "member.role_changed";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    userId: AnyId;
    role: "owner" | "operator" | "viewer";
  };
}

export interface MemberEvent {
  id: EventCursor;
  event: "member.removed" | "member.invited";
  environment: null;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    userId: AnyId;
  };
}

export type CustomerDetail = CustomerFields & CustomerDetailFields;

export type CustomerDetailV1 = CustomerFields & CustomerDetailFields & {
  fraudEvents: FraudEvent[];
};

export type BlocklistType = "ip" | "cidr" | "email" | "document";

export interface BlocklistEntry {
  id: Id;
  environment: Environment;
  type: "ip" | "cidr" | "email" | "document" | null;
  value: string | null;
  reason: string | null;
  createdAt: Timestamp;
}

export interface StoreSettings {
  name: string;
  pixKey: string | null;
  merchantName: string;
  merchantCity: string;
  maxTransactionAmountCents: AmountCents;
  pixExpirationMinutes: number;
  verifyDocuments: boolean;
  feeFixedCents: number;
  feeBasisPoints: number;
  devMode: boolean;
  contact: string | null;
}

export type StoreSettingsThen = StoreSettings & {
  timezone?: string;
  logo?: string;
  color?: string;
  embedOrigins?: string;
  payerProofs?: boolean;
};

export type Store = StoreSettings & ({
  id: Id;
  timezone: string;
  logo: string | null;
  color: string | null;
  supportContact: string | null;
  embedOrigins: string[];
  payerProofs: boolean;
  returnPublicKey: string;
});

export interface Checkpoint {
  origin: string;
  size: number;
  rootHash: string;
  checkpoint: string;
}

export interface Consistency {
  from: number;
  to: number;
  proof: Base64[];
  checkpoint: string;
}

export interface Alive {
  status: "ok";
}

export interface Ready {
  status: "ready";
}

export interface ChargeSums {
  created: number;
  createdCents: number;
  converted: number;
  paid: number;
  paidCents: number;
  refundedCents: number;
  timeToPayP50Seconds: number | null;
  timeToPayP90Seconds: number | null;
}

export type StatsDay = {
  day: string;
} & ChargeSums;

export type StatsTotals = ChargeSums & ({
  conversion: number | null;
  unappliedCount: number;
  unappliedCents: number;
  unmatchedCount: number;
  unmatchedCents: number;
  failingChannels: number;
  activeChannels: number;
  untriedChannels: number;
});

export interface Stats {
  days: StatsDay[];
  totals: StatsTotals;
}

export interface DaysMeta {
  timezone: string;
}

export interface Found {
  transactions: TransactionItemV1[];
  customers: Customer[];
  payments: UnmatchedPayment[];
}

export interface UnmatchedPayment {
  endToEndId: string;
  amountCents: AmountCents;
  paidAt: Timestamp;
  recordedAt: Timestamp;
  environment: Environment;
  connectionId: AnyId;
  txid: string | null;
  reason: string;
  state: string;
}

export interface ListedConnection {
  id: AnyId;
  alias: string;
  providerId: string;
  providerName: string;
  environment: Environment;
  isDefault: boolean;
  isEnabled: boolean;
  state: "ok" | "behind" | "left_alone" | "unknown" | null;
  lastPollAt: TimestampOrNull;
  certificateEndsAt: TimestampOrNull;
  breakerOpen: boolean | null;
}

export interface FailedRequestGroup {
  code: string;
  field: string | null;
  status: number;
  count: number;
  lastAt: Timestamp;
  method: string;
  route: string;
  environment: Environment;
}

export interface FailedRequest {
  at: Timestamp;
  method: string;
  route: string;
  status: number;
  code: string;
  fields: string[];
  requestId: RequestId;
  keyId: string | null;
  userId: string | null;
  environment: Environment;
}

export interface FailedRequests {
  groups: FailedRequestGroup[];
  recent: FailedRequest[];
}

export interface ReconciledPayment {
  endToEndId: string | null;
  transactionId: string | null;
  flag: string | null;
  by: "endToEndId" | "txid" | "amountAndDay" | null;
  line: number | null;
  statementAmountCents: number | null;
  statementPaidAt: TimestampOrNull;
  ledgerAmountCents: number | null;
  ledgerPaidAt: TimestampOrNull;
  chargeAmountCents: number | null;
}

export interface ReconciledReturn {
  endToEndId: string | null;
  transactionId: string | null;
  refundId: string | null;
  returnId: string | null;
  line: number | null;
  statementAmountCents: number | null;
  statementReturnedAt: TimestampOrNull;
  ledgerAmountCents: number | null;
  ledgerReturnedAt: TimestampOrNull;
  moved: boolean | null;
}

export interface Reconciliation {
  outcome: "agrees" | "probablyAgrees" | "differs" | "cannotCompare";
  cause: "noNames" | "tooMany" | "outOfPeriod" | null;
  reason: string | null;
  format: "csv" | "ofx" | "pix-json";
  environment: Environment;
  asOfPosition: number;
  statementFrom: string | null;
  statementTo: string | null;
  open: number;
  probableCount: number;
  ignored: number;
  countsHeld: boolean;
  period: {
    from: TimestampOrNull;
    to: TimestampOrNull;
    by: "given" | "statement" | "lines" | "ledger";
    gaps: {
      from: Timestamp;
      to: Timestamp;
    }[];
  };
  counts: {
    matched: number;
    probable: number;
    missingInLedger: number;
    missingInStatement: number;
    amountDiffers: number;
    late: number;
    doubled: number;
    unmatched: number;
    unidentified: number;
    notCompared: number;
  };
  matched: ReconciledPayment[];
  probable: ReconciledPayment[];
  missingInLedger: ReconciledPayment[];
  missingInStatement: ReconciledPayment[];
  amountDiffers: ReconciledPayment[];
  late: ReconciledPayment[];
  doubled: ReconciledPayment[];
  unmatched: ReconciledPayment[];
  unidentified: ReconciledPayment[];
  notCompared: ReconciledPayment[];
  returns: {
    compared: boolean;
    inLedger: number;
    counts: {
      matched: number;
      probable: number;
      pending: number;
      missingInLedger: number;
      missingInStatement: number;
      amountDiffers: number;
      unidentified: number;
    };
    matched: ReconciledReturn[];
    probable: ReconciledReturn[];
    pending: ReconciledReturn[];
    missingInLedger: ReconciledReturn[];
    missingInStatement: ReconciledReturn[];
    amountDiffers: ReconciledReturn[];
    unidentified: ReconciledReturn[];
  };
}

export interface AddressInput {
  street?: TextOrNull;
  streetNumber?: TextOrNull;
  neighborhood?: TextOrNull;
  complement?: TextOrNull;
  zipCode?: TextOrNull;
  city?: TextOrNull;
  state?: TextOrNull;
  country?: string | null;
}

export interface WholeAddressInput {
  street: Text;
  streetNumber: Text;
  neighborhood: Text;
  complement?: TextOrNull;
  zipCode: Text;
  city: Text;
  state: Text;
  country: string;
}

export interface CreateTransaction {
  customer: {
    name: NameText;
    document: string;
    email: string;
    phone: string;
    address?: AddressInput;
  };
  payment: {
    amountCents: AmountCents;
    product: NameText;
    quantity?: number | null;
    expirationDays?: number | null;
    expirationMinutes?: number | null;
  };
  originDomain: string;
  customerIp?: (string | null);
  externalId?: string | null;
  connectionId?: string | null;
  metadata?: MetadataOrNull;
}

export interface RefundTransaction {
  amountCents?: number | null;
  reason?: TextOrNull;
}

export interface SaveCustomer {
  name: NameText;
  document: string;
  email: string;
  phone: string;
  address: WholeAddressInput;
  environment?: "live" | "sandbox" | null;
  metadata?: MetadataOrNull;
}

export interface BlockCustomer {
  blockType: "manual" | "fraud";
  reason: Text;
  expiresAt?: string | null;
}

export interface AddBlocklistEntry {
  type: BlocklistType;
  value: string;
  reason?: TextOrNull;
  environment?: "live" | "sandbox" | null;
}

export interface ChangeStore {
  name?: NameTextOrNull;
  pixExpirationMinutes?: number | null;
  maxTransactionAmountCents?: number | null;
  timezone?: string | null;
  logo?: string | null;
  color?: string | null;
  supportContact?: string | null;
  embedOrigins?: string[] | null;
  payerProofs?: boolean | null;
}

export type WebhookEvent = "transaction.created" | "transaction.paid" | "transaction.expired" | "transaction.refunded" | "transaction.cancelled" | "transaction.failed" | "transaction.partially_refunded" | "payment.unapplied" | "payment.settled" | "store.changed";

export interface ChannelHealth {
  status: "ok" | "failing" | "disabled" | null;
  consecutiveFailures: number | null;
  lastSuccessAt: TimestampOrNull;
  lastFailureAt: TimestampOrNull;
  disabledReason: "gone" | "failing" | null;
}

export interface NotificationChannel {
  id: Id;
  name: string | null;
  url: string;
  events: WebhookEvent[];
  environments: Environment[];
  isActive: boolean;
  webhookApiVersion: "v1" | "v2";
  secretHint: string;
  health: ChannelHealth;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export interface NotificationChannelWithSecret {
  id: Id;
  name: string | null;
  url: string;
  events: WebhookEvent[];
  environments: Environment[];
  isActive: boolean;
  webhookApiVersion: "v1" | "v2";
  secretHint: string;
  health: ChannelHealth;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  secret: string;
  graceEndsAt?: Timestamp;
}

export interface CatalogueEntry {
  event: WebhookEvent;
  description: string;
  payloadType: "transaction" | "store";
  extraFields: string[];
}

export interface AddChannel {
  name?: TextOrNull;
  url: string;
  environments?: Environment[] | null;
  events?: WebhookEvent[] | null;
  webhookApiVersion?: "v2" | null;
}

export interface UpdateChannel {
  name?: TextOrNull;
  url?: string | null;
  environments?: Environment[] | null;
  events?: WebhookEvent[] | null;
  isActive?: boolean | null;
  webhookApiVersion?: "v2" | null;
}

export interface RotateSecret {
  graceSeconds?: number | null;
}

export interface RecoverDeliveries {
  since: GivenTime;
  until?: string | null;
  dryRun?: boolean | null;
}

export interface AttemptFields {
  number: number;
  at: Timestamp;
  httpStatus: number | null;
  latencyMs: number;
  error: string | null;
}

export type DeliveryAttempt = AttemptFields;

export type AnsweredAttempt = AttemptFields & ({
  response: string | null;
});

export type DeliveredEvent = "transaction.created" | "transaction.paid" | "transaction.expired" | "transaction.refunded" | "transaction.cancelled" | "transaction.failed" | "transaction.partially_refunded" | "payment.unapplied" | "payment.settled" | "store.changed" | "webhook.test";

export interface DeliveryFields {
  id: string;
  channelId: Id;
  event: DeliveredEvent;
  transactionId: string | null;
  externalId: string | null;
  environment: Environment;
  status: "pending" | "delivered" | "failed" | "exhausted";
  nextAttemptAt: TimestampOrNull;
  createdAt: Timestamp;
}

export type Delivery = DeliveryFields & {
  attempts: DeliveryAttempt[];
};

export interface SentText {
  headers: Record<string, string>;
  body: string | null;
}

export type SentRequest = ({
  url: string;
  webhookApiVersion: "v1" | "v2";
  attempt: number;
}) & SentText;

export type DeliveryDetail = DeliveryFields & {
  attempts: AnsweredAttempt[];
  request: SentRequest;
};

export type PreviewedWebhook = SentText;

export interface ChannelPreview {
  event: DeliveredEvent;
  isSample: boolean;
  v1: (PreviewedWebhook | null);
  v2: PreviewedWebhook;
}

export interface ChannelStats {
  hours: {
    hour: Timestamp;
    delivered: number;
    failed: number;
  }[];
  delivered: number;
  failed: number;
  pending: number;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
  errors: {
    error: string;
    count: number;
  }[];
  completeSince: Timestamp;
}

export interface Recovery {
  queued: number;
  hastened: number;
}

export interface CheckoutSessionFields {
  id: Id;
  url: string;
  status: "open" | "complete" | "expired" | "cancelled";
  environment: Environment;
  transactionId: string | null;
  paidTransactionId: string | null;
  payment: {
    amountCents: AmountCents;
    product: string;
    quantity: number;
    expirationDays: number | null;
  };
  originDomain: string;
  externalId: string;
  successUrl: string | null;
  cancelUrl: string | null;
  locale: "pt-BR" | "en" | null;
  webhookUrl: string | null;
  webhookApiVersion: "v1" | "v2";
  expiresAt: Timestamp;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export type CheckoutSession = CheckoutSessionFields;

export type CheckoutSessionWithSecret = CheckoutSessionFields & {
  webhookSecret?: string;
};

export interface CreateCheckoutSession {
  payment: {
    amountCents: AmountCents;
    product: NameText;
    quantity?: number | null;
    expirationDays?: number | null;
  };
  originDomain: string;
  customer?: {
    name: NameText;
    document: string;
    email: string;
    phone: string;
    address?: AddressInput;
  };
  externalId?: string | null;
  metadata?: MetadataOrNull;
  successUrl?: string | null;
  cancelUrl?: string | null;
  expiresInMinutes?: number | null;
  locale?: "pt-BR" | "en" | null;
  webhookUrl?: string | null;
  webhookApiVersion?: "v1" | "v2" | null;
}

export interface CheckoutCreatedEvent {
  id: EventCursor;
  event: "checkout.created";
  environment: Environment;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    checkoutSessionId: AnyId;
    amountCents: AmountCents;
    product: string;
    quantity: number;
    expirationDays: number | null;
    originDomain: string;
    externalId: string | null;
    successUrl: string | null;
    cancelUrl: string | null;
    locale: "pt-BR" | "en" | null;
    webhookApiVersion: "v1" | "v2";
    expiresAt: Timestamp;
    metadata: Metadata;
  };
}

export interface CheckoutTransactionAddedEvent {
  id: EventCursor;
  event: "checkout.transaction_added";
  environment: Environment;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    checkoutSessionId: AnyId;
    transactionId: AnyId;
    customerId: AnyId;
  };
}

export interface CheckoutCompletedEvent {
  id: EventCursor;
  event: "checkout.completed";
  environment: Environment;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    checkoutSessionId: AnyId;
    transactionId: AnyId;
  };
}

export interface CheckoutEndedEvent {
  id: EventCursor;
  event: "checkout.cancelled" | "checkout.expired";
  environment: Environment;
  transactionId: null;
  customerId: null;
  occurredAt: Timestamp;
  data: {
    checkoutSessionId: AnyId;
  };
}

export type SignInToken = string;

export interface PasskeyAssertion {
  challengeId: string;
  credentialId: string;
  authenticatorData: string;
  clientDataJson: string;
  signature: string;
  userHandle?: string;
}

export interface PasskeySignIn {
  challengeId: string;
  credentialId: string;
  authenticatorData: string;
  clientDataJson: string;
  signature: string;
  userHandle: string;
}

export interface SignInChallenge {
  challengeId: string;
  publicKey: {
    challenge: string;
    rpId: string;
    rpName: string;
    timeout: number;
    userVerification: "required";
    user?: {
      id: string;
      name: string;
      displayName: string;
    };
    pubKeyCredParams?: ({
      type: "public-key";
      alg: -7 | -8 | -257;
    })[];
    allowCredentials?: {
      type: "public-key";
      id: string;
    }[];
    excludeCredentials?: {
      type: "public-key";
      id: string;
    }[];
  };
}

export interface NewSignIn {
  passkey?: PasskeySignIn;
  email?: string;
  password?: string;
  totp?: string;
  recoveryCode?: string;
  invitation?: string;
}

export interface Confirmation {
  passkey?: PasskeyAssertion;
  password?: string;
  totp?: string;
}

export interface SignIn {
  signInId: AnyId;
  expiresAt: Timestamp;
  idleSeconds: number;
  confirmedAt: TimestampOrNull;
  mustSetCredential: boolean;
  user: {
    id: AnyId;
    email: string;
    hasPasskey: boolean;
    hasPassword: boolean;
    hasTotp: boolean;
    recoveryCodesLeft: number;
  };
  projects: ({
    id: AnyId;
    name: string;
    role: "owner" | "operator" | "viewer";
  })[];
}

export interface ListedSignIn {
  id: AnyId;
  createdAt: Timestamp;
  lastSeenAt: Timestamp;
  address: string;
  userAgent: string;
  method: "passkey" | "password" | "recovery_code" | "invitation";
  isCurrent: boolean;
}

export interface Passkey {
  id: string;
  name: string;
  createdAt: Timestamp;
  lastUsedAt: TimestampOrNull;
}

export interface NewPasskey {
  challengeId: string;
  name: string;
  credentialId: string;
  clientDataJson: string;
  authenticatorData: string;
  publicKey: string;
  algorithm: -7 | -8 | -257;
}

export interface TotpSecret {
  secret: string;
  otpauthUrl: string;
}

export interface EnabledTotp {
  enabled: true;
  recoveryCodes: string[];
}

export interface NewRecoveryCodes {
  recoveryCodes: string[];
}

export type Role = "owner" | "operator" | "viewer";

export interface Member {
  userId: AnyId;
  email: string | null;
  role: Role;
  addedAt: Timestamp;
  invitationPending: boolean;
  lastSignInAt: TimestampOrNull;
}

export interface InvitedMember {
  userId: AnyId;
  email: string;
  role: Role;
  url: string | null;
  expiresAt: TimestampOrNull;
}

export interface Invitation {
  userId: AnyId;
  url: string;
  expiresAt: Timestamp;
}

export type Scope = "transactions:read" | "transactions:write" | "customers:read" | "customers:write" | "channels:read" | "channels:write" | "store:read" | "store:write" | "events:read" | "events:write";

export interface ApiKeyFields {
  id: string;
  name: string | null;
  environment: Environment;
  prefix: "sk_live_" | "sk_test_";
  lastFour: string | null;
  scopes: Scope[];
  createdAt: Timestamp;
  expiresAt: TimestampOrNull;
  revokedAt: TimestampOrNull;
  lastUsedOn: string | null;
  allowedIps: string[];
}

export type ApiKey = ApiKeyFields;

export type IssuedApiKey = ApiKeyFields & ({
  key: string | null;
});

export interface NewApiKey {
  environment: Environment;
  name?: string | null;
  scopes?: Scope[] | null;
  expiresAt?: string | null;
  allowedIps?: string[] | null;
}

export interface WebhookCustomer {
  name: string;
  email: string | null;
  phone: string | null;
  document: string | null;
  documentType: "CPF" | "CNPJ" | null;
  address: {
    street: string | null;
    streetNumber: string | null;
    neighborhood: string | null;
    complement: string | null;
    zipCode: string | null;
    city: string | null;
    state: string | null;
    country: string | null;
  };
}

export interface WebhookPayment {
  endToEndId: string;
  amountCents: AmountCents;
  paidAt: Timestamp;
  receivedAt: Timestamp;
  flag: "PAID_AFTER_EXPIRY" | "PAID_AFTER_CLOSE" | "DUPLICATE_PAYMENT" | "AMOUNT_MISMATCH";
}

export type WebhookEventId = string;

export interface TransactionCreatedWebhook {
  event: "transaction.created";
  apiVersion: "v2";
  type: "transaction";
  title: string;
  message: string;
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amountCents: AmountCents;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    pixCode: string;
    expirationDate: Timestamp;
    customer: WebhookCustomer;
    originDomain: string;
    eventId: WebhookEventId;
    environment: "live" | "sandbox";
    status: TransactionStatus;
    paidAt: TimestampOrNull;
    paidAmountCents: number | null;
    refundedAmountCents: number;
    endToEndId: string | null;
    checkoutSessionId?: Id;
    metadata: Record<string, string>;
  };
  timestamp: Timestamp;
}

export interface TransactionPaidWebhook {
  event: "transaction.paid";
  apiVersion: "v2";
  type: "transaction";
  title: string;
  message: string;
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amountCents: AmountCents;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    fee?: {
      amount: number;
      amountCents: number;
    };
    customer: WebhookCustomer;
    originDomain: string;
    eventId: WebhookEventId;
    environment: "live" | "sandbox";
    status: TransactionStatus;
    paidAt: TimestampOrNull;
    paidAmountCents: number | null;
    refundedAmountCents: number;
    endToEndId: string | null;
    checkoutSessionId?: Id;
    metadata: Record<string, string>;
  };
  timestamp: Timestamp;
}

export interface TransactionExpiredWebhook {
  event: "transaction.expired";
  apiVersion: "v2";
  type: "transaction";
  title: string;
  message: string;
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amountCents: AmountCents;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    customer: WebhookCustomer;
    originDomain: string;
    eventId: WebhookEventId;
    environment: "live" | "sandbox";
    status: TransactionStatus;
    paidAt: TimestampOrNull;
    paidAmountCents: number | null;
    refundedAmountCents: number;
    endToEndId: string | null;
    checkoutSessionId?: Id;
    metadata: Record<string, string>;
  };
  timestamp: Timestamp;
}

export interface TransactionRefundedWebhook {
  event: "transaction.refunded";
  apiVersion: "v2";
  type: "transaction";
  title: string;
  message: string;
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amountCents: AmountCents;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    customer: WebhookCustomer;
    originDomain: string;
    eventId: WebhookEventId;
    environment: "live" | "sandbox";
    status: TransactionStatus;
    paidAt: TimestampOrNull;
    paidAmountCents: number | null;
    refundedAmountCents: number;
    endToEndId: string | null;
    checkoutSessionId?: Id;
    metadata: Record<string, string>;
    refundAmountCents: number;
  };
  timestamp: Timestamp;
}

export interface TransactionCancelledWebhook {
  event: "transaction.cancelled";
  apiVersion: "v2";
  type: "transaction";
  title: string;
  message: string;
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amountCents: AmountCents;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    customer: WebhookCustomer;
    originDomain: string;
    eventId: WebhookEventId;
    environment: "live" | "sandbox";
    status: TransactionStatus;
    paidAt: TimestampOrNull;
    paidAmountCents: number | null;
    refundedAmountCents: number;
    endToEndId: string | null;
    checkoutSessionId?: Id;
    metadata: Record<string, string>;
  };
  timestamp: Timestamp;
}

export interface TransactionFailedWebhook {
  event: "transaction.failed";
  apiVersion: "v2";
  type: "transaction";
  title: "transaction_failed";
  message: "transaction_failed";
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amountCents: AmountCents;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    customer: WebhookCustomer;
    originDomain: string;
    eventId: WebhookEventId;
    environment: "live" | "sandbox";
    status: TransactionStatus;
    paidAt: TimestampOrNull;
    paidAmountCents: number | null;
    refundedAmountCents: number;
    endToEndId: string | null;
    checkoutSessionId?: Id;
    metadata: Record<string, string>;
  };
  timestamp: Timestamp;
}

export interface TransactionPartiallyRefundedWebhook {
  event: "transaction.partially_refunded";
  apiVersion: "v2";
  type: "transaction";
  title: string;
  message: string;
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amountCents: AmountCents;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    customer: WebhookCustomer;
    originDomain: string;
    eventId: WebhookEventId;
    environment: "live" | "sandbox";
    status: TransactionStatus;
    paidAt: TimestampOrNull;
    paidAmountCents: number | null;
    refundedAmountCents: number;
    endToEndId: string | null;
    checkoutSessionId?: Id;
    metadata: Record<string, string>;
    refundAmountCents: number;
  };
  timestamp: Timestamp;
}

export interface PaymentUnappliedWebhook {
  event: "payment.unapplied";
  apiVersion: "v2";
  type: "transaction";
  title: string;
  message: string;
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amountCents: AmountCents;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    customer: WebhookCustomer;
    originDomain: string;
    eventId: WebhookEventId;
    environment: "live" | "sandbox";
    status: TransactionStatus;
    paidAt: TimestampOrNull;
    paidAmountCents: number | null;
    refundedAmountCents: number;
    endToEndId: string | null;
    checkoutSessionId?: Id;
    metadata: Record<string, string>;
    payment: WebhookPayment;
  };
  timestamp: Timestamp;
}

export interface PaymentSettledWebhook {
  event: "payment.settled";
  apiVersion: "v2";
  type: "transaction";
  title: string;
  message: string;
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amountCents: AmountCents;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    customer: WebhookCustomer;
    originDomain: string;
    eventId: WebhookEventId;
    environment: "live" | "sandbox";
    status: TransactionStatus;
    paidAt: TimestampOrNull;
    paidAmountCents: number | null;
    refundedAmountCents: number;
    endToEndId: string | null;
    checkoutSessionId?: Id;
    metadata: Record<string, string>;
    payment: WebhookPayment;
    settlement: "accepted" | "returned";
  };
  timestamp: Timestamp;
}

export interface StoreChangedWebhook {
  event: "store.changed";
  apiVersion: "v2";
  type: "store";
  title: string;
  message: string;
  data: {
    storeId: Id;
    eventId: WebhookEventId;
    changed: string[];
    before: StoreSettings;
    after: StoreSettings;
  };
  timestamp: Timestamp;
}

export interface TestWebhook {
  event: "webhook.test";
  apiVersion: "v2";
  type: "webhook";
  title: string;
  message: string;
  data: {
    channelId: Id;
    isSandbox: boolean;
    createdAt: Timestamp;
    eventId: WebhookEventId;
    environment: "live" | "sandbox";
  };
  timestamp: Timestamp;
}

export interface TransactionCreatedWebhookV1 {
  event: "transaction.created";
  type: "transaction";
  title: string;
  message: string;
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amount: number;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    pixCode: string;
    expirationDate: Timestamp;
    customer: WebhookCustomer;
    originDomain: string;
  };
  timestamp: Timestamp;
}

export interface TransactionPaidWebhookV1 {
  event: "transaction.paid";
  type: "transaction";
  title: string;
  message: string;
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amount: number;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    fee?: {
      amount: number;
    };
    customer: WebhookCustomer;
    originDomain: string;
  };
  timestamp: Timestamp;
}

export interface TransactionExpiredWebhookV1 {
  event: "transaction.expired";
  type: "transaction";
  title: string;
  message: string;
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amount: number;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    customer: WebhookCustomer;
    originDomain: string;
  };
  timestamp: Timestamp;
}

export interface TransactionRefundedWebhookV1 {
  event: "transaction.refunded";
  type: "transaction";
  title: string;
  message: string;
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amount: number;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    customer: WebhookCustomer;
    originDomain: string;
  };
  timestamp: Timestamp;
}

export interface TransactionCancelledWebhookV1 {
  event: "transaction.cancelled";
  type: "transaction";
  title: string;
  message: string;
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amount: number;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    customer: WebhookCustomer;
    originDomain: string;
  };
  timestamp: Timestamp;
}

export interface TransactionFailedWebhookV1 {
  event: "transaction.failed";
  type: "transaction";
  title: "transaction_failed";
  message: "transaction_failed";
  data: {
    transactionId: Id;
    externalId: string;
    product: string;
    amount: number;
    customerName: string;
    isSandbox: boolean;
    createdAt: Timestamp;
    customer: WebhookCustomer;
    originDomain: string;
  };
  timestamp: Timestamp;
}

export interface TestWebhookV1 {
  event: "webhook.test";
  type: "webhook";
  title: string;
  message: string;
  data: {
    channelId: Id;
    isSandbox: boolean;
    createdAt: Timestamp;
  };
  timestamp: Timestamp;
}
