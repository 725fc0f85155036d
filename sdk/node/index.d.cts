// Times are ISO 8601 in UTC with milliseconds, money is integer cents, ids are texts.

// --- errors ---

/**
 * The SDK's errors, beside TypeError for a wrong call and the reason of an AbortSignal. `String(error)` shows all that
 * helps to find the cause: code, fields, request.
 */
export class PixledgerError extends Error {}

/** The API rejected the request. `message` names the fields that were rejected; it has no personal data. */
export class ApiError extends PixledgerError {
  readonly status: number;
  /** Such as `ERR_TRANSACTION_002`; `ERR_HTTP_…` if an intermediary answered, redirects included. */
  readonly code: string;
  /** Every violation of a body or query. `resumeAfter`: for ERR_CURSOR_001, where the feed continues. */
  readonly details: readonly { field: string; reason: string; resumeAfter?: string }[];
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/**
 * No reply, or one that is not the API's: a connection that broke, an invalid certificate, a body that is no JSON
 * object. It is unknown whether the request was carried out.
 */
export class ConnectionError extends PixledgerError {}
/** No reply in time. */
export class TimeoutError extends ConnectionError {}

export type WebhookVerificationCode =
  | 'missing_header'
  | 'malformed_signature'
  | 'unsupported_version'
  | 'timestamp_out_of_range'
  | 'signature_mismatch'
  | 'malformed_body';
/** The webhook must not be trusted. */
export class WebhookVerificationError extends PixledgerError {
  readonly code: WebhookVerificationCode;
}

// --- webhooks ---

/** The events of a channel that names none. */
export type StandardWebhookEventName =
  | 'transaction.created'
  | 'transaction.paid'
  | 'transaction.expired'
  | 'transaction.refunded'
  | 'transaction.cancelled'
  | 'transaction.failed';
/** Channels on v2 can also name the others. */
export type WebhookEventName =
  | StandardWebhookEventName
  | 'transaction.partially_refunded'
  | 'payment.unapplied'
  | 'payment.settled'
  | 'store.changed';

export interface WebhookAddress {
  street: string | null;
  streetNumber: string | null;
  neighborhood: string | null;
  complement: string | null;
  zipCode: string | null;
  city: string | null;
  state: string | null;
  country: string | null;
}

export interface WebhookCustomer {
  name: string;
  email: string | null;
  phone: string | null;
  document: string | null;
  documentType: string | null;
  address: WebhookAddress;
}

export interface WebhookData {
  transactionId: string;
  externalId: string;
  product: string;
  customerName: string;
  isSandbox: boolean;
  createdAt: string;
  customer: WebhookCustomer;
  originDomain: string;
  /** Of transaction.created. */
  pixCode?: string;
  /** Of transaction.created. */
  expirationDate?: string;
}

/** Money that arrived and did not fit its transaction. */
export interface WebhookPayment {
  endToEndId: string;
  amountCents: number;
  paidAt: string;
  receivedAt: string;
  flag: 'PAID_AFTER_EXPIRY' | 'PAID_AFTER_CLOSE' | 'DUPLICATE_PAYMENT' | 'AMOUNT_MISMATCH';
}

/** As of the event. */
export interface WebhookDataV2 extends WebhookData {
  amountCents: number;
  /** Of transaction.paid, if the store has a fee. */
  fee?: { amount: number; amountCents: number };
  /** The id of the same event in the feed. */
  eventId: string;
  environment: 'live' | 'sandbox';
  status: string;
  paidAt: string | null;
  /** The amount that arrived. */
  paidAmountCents: number | null;
  /** So far. */
  refundedAmountCents: number;
  endToEndId: string | null;
  /** As the transaction was created with; empty once the customer was erased. */
  metadata: { [key: string]: string };
  /** Of transaction.refunded and transaction.partially_refunded. */
  refundAmountCents?: number;
  /** Of payment.unapplied and payment.settled. */
  payment?: WebhookPayment;
  /** Of a transaction that was made for a checkout session. */
  checkoutSessionId?: string;
  /** Of payment.settled: it was accepted for the transaction, or returned. */
  settlement?: 'accepted' | 'returned';
}

export interface WebhookDelivery {
  /** The same at every attempt: remember it to handle a webhook once. */
  id: string | undefined;
  attempt: number | undefined;
  /** Orders the webhooks of one transaction; tests have none. */
  sequence: number | undefined;
  /** The form of the signature; `standard`: that of Standard Webhooks. */
  version: 'v1' | 'v2' | 'standard';
  /** When it was signed; v1 has no time. */
  signedAt: Date | undefined;
}

interface WebhookEnvelope {
  title: string;
  message: string;
  timestamp: string;
  /** About the delivery; not part of the body. Id, attempt and sequence are not signed. */
  delivery: WebhookDelivery;
}
export interface WebhookV1 extends WebhookEnvelope {
  event: StandardWebhookEventName;
  type: 'transaction';
  apiVersion?: undefined;
  /** Money in reais. */
  data: WebhookData & { amount: number; fee?: { amount: number } };
}
export interface WebhookV2 extends WebhookEnvelope {
  event: Exclude<WebhookEventName, 'store.changed'>;
  type: 'transaction';
  apiVersion: 'v2';
  data: WebhookDataV2;
}
/** A Pix key or a fee that none of you changed is an alarm. */
export interface StoreWebhook extends WebhookEnvelope {
  event: 'store.changed';
  type: 'store';
  apiVersion: 'v2';
  data: {
    storeId: string;
    eventId: string;
    /** The names of the changed settings. */
    changed: (keyof StoreSettings)[];
    before: StoreSettings;
    after: StoreSettings;
  };
}
/** Sent by `channels.test`: nothing happened. */
export interface WebhookTest extends WebhookEnvelope {
  event: 'webhook.test';
  type: 'webhook';
  apiVersion?: 'v2';
  data: {
    channelId: string;
    isSandbox: boolean;
    createdAt: string;
    /** In v2. */
    eventId?: string;
    /** In v2. */
    environment?: 'live' | 'sandbox';
  };
}
/** `event` or `type` distinguishes tests, then `apiVersion` the versions. Later releases may add events. */
export type Webhook = WebhookV1 | WebhookV2 | StoreWebhook | WebhookTest;

/**
 * The headers as Node's `req.headers`, a plain object in any case or with CGI's names (`HTTP_X_WEBHOOK_ID`), or a
 * `Headers` or `Map` with lower-case names.
 */
export type WebhookHeaders =
  | { readonly [name: string]: string | readonly string[] | undefined }
  | { get(name: string): string | null | undefined };

export interface VerifyWebhookOptions {
  /** How far the time in a signature may be from the clock, in seconds; v1 has none. Default 300. */
  toleranceSeconds?: number;
  /** The forms to accept; `['v2']` once every channel has moved. Default all. */
  versions?: readonly ('v1' | 'v2' | 'standard')[];
  /** The clock, in milliseconds. Default `Date.now`. */
  now?: () => number;
}

/**
 * Verifies that a webhook was signed with the channel's secret, completely and (but for v1) recently, and returns it.
 * During a rotation both the old and the new secret are valid. `X-Webhook-Signature` is used where there is one, else
 * `webhook-signature` (Standard Webhooks). The body must be JSON without a repeated name in an object.
 *
 * @param rawBody the bytes as they arrived: a parsed and serialised body differs
 * @param secret the channel's secret, or several of which one must fit
 * @throws WebhookVerificationError answer 401 and do nothing
 */
export function verifyWebhook(
  rawBody: Uint8Array | ArrayBuffer | string,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options?: VerifyWebhookOptions,
): Webhook;

// --- receipts ---

export interface Receipt {
  transactionId: string;
  /** A C2SP signed note: ledger, number of events, root of their Merkle tree, how many events the transaction has. */
  checkpoint: string;
  /** In the order in which they happened to the transaction. Bytes are in base64. */
  events: {
    position: number;
    leaf: string;
    /** null if it has none, or it was erased. */
    personal: string | null;
    proof: string[];
    event: LedgerEvent;
  }[];
}
/** An event as the ledger's auditors see it. */
export interface LedgerEvent {
  position: number;
  stream: string;
  version: number;
  /** Such as ChargePaid. */
  type: string;
  recordedAt: string;
  actor: string;
  requestId: string | null;
  data: Record<string, string | number | null | Metadata>;
}

/** A KeyObject of node:crypto that holds an Ed25519 public key. */
export interface PublicKeyObject {
  readonly type: 'public' | 'private' | 'secret';
  readonly asymmetricKeyType?: string | undefined;
}
export interface VerifyReceiptOptions {
  /** The transaction that it must be the receipt of. Without it: any. */
  transactionId?: string;
}
export type ReceiptRefusal =
  /** Not a receipt; or it has an unknown field, a repeated name in an object, or a number that is no integer. */
  | 'malformed_receipt'
  /** The key has not signed the checkpoint. */
  | 'not_signed'
  /** It is another transaction's than the caller's; otherwise it may be valid. */
  | 'other_transaction'
  /** An event differs from the ledger's at its position. */
  | 'not_included'
  /** Personal data differs from what was recorded with the event. */
  | 'personal_data_differ'
  /** This release cannot read the bytes of an event. */
  | 'unreadable_event'
  /** An event belongs to another stream, or there is a gap, or no event at all. */
  | 'wrong_event'
  /** The readable form of an event differs from its bytes. */
  | 'shown_differs'
  /** It has fewer events than its checkpoint states: its refund is missing, say, or the checkpoint is another's. */
  | 'incomplete';
export type VerifiedReceipt =
  | {
      ok: true;
      transactionId: string;
      status: TransactionStatus;
      /** Made from the proven bytes. */
      events: LedgerEvent[];
      /** The signed number of the transaction's events as of the checkpoint. null: of 0.1.0, without it. */
      streamLength: number | null;
      /** How many of them lack their personal data: erased, or left out. A null there may have been a text. */
      withoutPersonalData: number;
      /** `pixledger/<ledger id>/<epoch>` */
      origin: string;
      /** How many events the checkpoint signs. */
      size: number;
      /** In hex. */
      rootHash: string;
    }
  | {
      ok: false;
      reason: ReceiptRefusal;
      /** A sentence, with the field's name if it is about one. */
      message: string;
    };

/**
 * Verifies that a receipt's events are those of its transaction, from the first on and without a gap, all in the
 * ledger whose key signed its checkpoint, and as many as it states: the same as `pixledger check-proof`, implemented
 * independently. A receipt does not show whether there have been later events.
 *
 * @param receipt the result of `transactions.receipt`, the output of `pixledger prove`, or a whole reply of the API: as
 *   text, bytes, or parsed. Parsing drops repeated names; text keeps them, and they are rejected.
 * @param publicKey the line of `pixledger checkpoint --public-key`, which names the ledger too; or the 32 bytes of
 *   the key, or its KeyObject, for any ledger and epoch that it signs. Do not get it from the giver of the receipt.
 * @throws TypeError if the key is invalid, or the receipt is neither an object nor text
 */
export function verifyReceipt(
  receipt: string | Uint8Array | object,
  publicKey: string | Uint8Array | PublicKeyObject,
  options?: VerifyReceiptOptions,
): VerifiedReceipt;

export type VerifiedCheckpoint =
  | {
      ok: true;
      /** `pixledger/<ledger id>/<epoch>` */
      origin: string;
      size: number;
      /** In hex. */
      rootHash: string;
      /** In a receipt's: the stream that it is about, and how many events that has. null: it names no stream. */
      stream: { name: string; events: number } | null;
    }
  | { ok: false; reason: 'not_signed'; message: string };

/**
 * Verifies that the key has signed a checkpoint, such as that of `ledger.checkpoint`, and returns what it says.
 *
 * @param publicKey as for `verifyReceipt`
 * @throws TypeError if the key is invalid, or the checkpoint is no text
 */
export function verifyCheckpoint(
  checkpoint: string,
  publicKey: string | Uint8Array | PublicKeyObject,
): VerifiedCheckpoint;

// --- where payers come back to ---

export interface CheckoutReturn {
  session: string;
  transaction: string;
  /** As it was then: deliver on the webhook, or check the status. */
  status: TransactionStatus;
  signedAt: Date;
}
/**
 * Returns what a checkout session's page states in the address that it sends the payer back to (`successUrl`), if the
 * store's key has signed it recently; else undefined: then query the API.
 *
 * @param url the whole address, or its path and query, as received
 * @param publicKey `returnPublicKey` of the store
 * @throws TypeError if the key is invalid
 */
export function verifyReturn(
  url: string | URL,
  publicKey: string,
  options?: {
    /**
     * The session that was created for this order: another one's is rejected. Give it, or compare the result's
     * `session`: the address of a cheaper paid session has a valid signature too.
     */
    session?: string;
    /** How far its time may be from the clock, in seconds. Default 3600. */
    toleranceSeconds?: number;
    /** The clock, in milliseconds. Default `Date.now`. */
    now?: () => number;
  },
): CheckoutReturn | undefined;

// --- the API's resources ---

export type Environment = 'live' | 'sandbox';
export type TransactionStatus =
  | 'waiting_payment'
  | 'processing'
  | 'paid'
  | 'expired'
  | 'cancelled'
  | 'refunded'
  | 'failed';

/** A merchant's own texts: at most 20, keys of 1 to 40 of [A-Za-z0-9_.-], values of at most 500 characters. */
export type Metadata = Record<string, string>;

export interface PageMeta {
  total: number;
  page: number;
  limit: number;
  totalPages: number;
  /** For lists with filters by date: the store's time zone, in which a date without a time is a day. */
  timezone?: string;
}
export interface Page<Item> {
  data: Item[];
  meta: PageMeta;
}

export interface CustomerSummary {
  id: string;
  name: string;
  email: string | null;
}
export interface Connection {
  id: string;
  alias: string;
  providerId: string;
  providerName: string;
}

interface TransactionFields {
  id: string;
  externalId: string;
  /** The payment's end-to-end id; null until paid. */
  transactionCode: string | null;
  status: TransactionStatus;
  environment: Environment;
  amountCents: number;
  product: string;
  quantity: number;
  paidAt: string | null;
  /** The amount that arrived, and can be refunded; null until paid. */
  paidAmountCents: number | null;
  /** The store's fee for it, or 0; null until paid. */
  feeCents: number | null;
  /** The amount that arrived minus the fee; null until paid. Refunds are not subtracted. */
  netCents: number | null;
  /** The sum of all refunds so far. */
  refundedAmountCents: number;
  /** Money that arrived, did not pay it and is not settled. */
  unappliedAmountCents: number;
  createdAt: string;
  updatedAt: string;
  /** {} without any. */
  metadata: Metadata;
}
export interface TransactionItem extends TransactionFields {
  customer: CustomerSummary;
  connection: Connection;
  originDomain: string;
  customerEmail: string | null;
  customerName: string;
}
export interface UnversionedTransactionItem extends TransactionFields {
  customer: CustomerSummary;
  gateway: Connection;
  domain: { id: string; host: string } | null;
}
export interface UnappliedPayment {
  endToEndId: string;
  amountCents: number;
  paidAt: string;
  receivedAt: string;
  flag: 'PAID_AFTER_EXPIRY' | 'PAID_AFTER_CLOSE' | 'DUPLICATE_PAYMENT' | 'AMOUNT_MISMATCH';
  /** When the bank sent it back, if requested. */
  /** A return was requested from the bank and is not done yet. */
  isReturning: boolean;
  returnedAt: string | null;
}
/** A refund of the payment, or a part of it. */
export interface Refund {
  /** At a bank, the id of the devolução. */
  id: string;
  amountCents: number;
  /**
   * pending until the bank confirms that the money is back (done); the amount of a failed one may be
   * refunded again. recorded: no bank moves it.
   */
  status: 'pending' | 'done' | 'failed' | 'recorded';
  /** Whether the connection's bank moves the money; else the merchant sends it back, and this is a record. */
  moved: boolean;
  /** bank: a special return (MED), or one that was made at the bank. */
  origin: 'merchant' | 'bank';
  requestedAt: string;
  settledAt: string | null;
  reason: string | null;
  /** The payment in addedPayments that it refunds; absent: the first. */
  endToEndId?: string;
}
export interface AddedPayment {
  endToEndId: string;
  amountCents: number;
  feeCents: number;
  paidAt: string;
}
export interface Transaction extends TransactionFields {
  pixCode: string;
  expirationDate: string;
  refundedAt: string | null;
  customer: CustomerSummary & { document: string | null; phone: string | null };
  unappliedPayments: UnappliedPayment[];
  /** Payments added to the first; the amounts of the transaction include them. Absent without any. */
  addedPayments?: AddedPayment[];
  /** Whether a refund makes a bank send money back. */
  refundsMoveMoney: boolean;
  refunds: Refund[];
}
export interface CreatedTransaction {
  id: string;
  status: 'waiting_payment';
  amountCents: number;
  pixCode: string;
  /** The path of the code's image, which needs the same key. */
  qrCode: string;
  expirationDate: string;
  environment: Environment;
}

export interface AddressInput {
  street?: string | null;
  streetNumber?: string | null;
  neighborhood?: string | null;
  complement?: string | null;
  zipCode?: string | null;
  city?: string | null;
  state?: string | null;
  /** ISO 3166-1, two letters. */
  country?: string | null;
}
export interface CustomerInput {
  name: string;
  /** CPF (11 digits) or CNPJ (14, of which the first 12 may also be capital letters), without punctuation. */
  document: string;
  email: string;
  phone: string;
}
export interface CreateTransaction {
  customer: CustomerInput & { address?: AddressInput | null };
  payment: {
    /** The total, not a unit price. */
    amountCents: number;
    product: string;
    quantity?: number | null;
    expirationDays?: number | null;
    /** In place of expirationDays: 5 to 525600. */
    expirationMinutes?: number | null;
  };
  originDomain: string;
  customerIp?: string | null;
  externalId?: string | null;
  connectionId?: string | null;
  metadata?: Metadata | null;
}
export interface SaveCustomer extends CustomerInput {
  /** Default: the key's own. A person in both is two customers. */
  environment?: Environment | null;
  address: {
    street: string;
    streetNumber: string;
    neighborhood: string;
    complement?: string | null;
    zipCode: string;
    city: string;
    state: string;
    country: string;
  };
  /** Replaces the customer's; absent, that does not change. */
  metadata?: Metadata | null;
}

export interface PageQuery {
  page?: number;
  /** At most 100; the iterators' default. */
  limit?: number;
}
export interface DateQuery {
  dateFrom?: string | Date;
  dateTo?: string | Date;
}
export interface EnvironmentQuery {
  /** Default: the key's own. */
  environment?: Environment;
}
export type ListedStatus = Exclude<TransactionStatus, 'failed'>;
export interface TransactionQuery extends PageQuery, DateQuery {
  /** One or several. */
  status?: ListedStatus | readonly ListedStatus[];
  customerId?: string;
  /** Default: both, as far as the key sees them. */
  environment?: Environment;
  originDomain?: string;
  domain?: string;
  connectionId?: string;
  amountMin?: number;
  amountMax?: number;
  customerEmail?: string;
  /** Part of the name, e-mail or externalId, 8 digits or more of the phone, or a whole id or document. */
  search?: string;
  /** The whole value; the transaction's id if the merchant gave none. */
  externalId?: string;
  /** The end-to-end id of a payment that arrived for it, also if it was kept aside. */
  transactionCode?: string;
  /** Only those that failed. */
  failed?: true;
  /** Only those with money to be settled. */
  unapplied?: true;
  /** Only paid ones of which some money has gone back. */
  partlyRefunded?: true;
  /** Only those that have all these texts. */
  metadata?: Metadata;
}

/** Money that arrived at a bank and fits no transaction. */
export interface UnmatchedPayment {
  endToEndId: string;
  amountCents: number;
  paidAt: string;
  recordedAt: string;
  environment: Environment;
  connectionId: string;
  txid: string | null;
  reason: string;
  state: string;
}

export interface CustomerQuery extends PageQuery, DateQuery, EnvironmentQuery {
  /** Part of the name or e-mail, 8 digits or more of the phone, or a whole id or document. */
  search?: string;
  document?: string;
  email?: string;
  isBlocked?: boolean;
}

export interface Customer {
  id: string;
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
  /** Null once erased. */
  metadata: Metadata | null;
  isBlocked: boolean;
  createdAt: string;
  updatedAt: string;
  /** When the personal data was erased. */
  erasedAt?: string;
}
export interface UnversionedCustomerDetail extends Customer {
  projectId: string;
  blockedAt: string | null;
  blockedReason: string | null;
  blockExpiresAt: string | null;
  blockType: 'manual' | 'fraud' | null;
  /** The newest ten. */
  recentTransactions: {
    id: string;
    amountCents: number;
    status: TransactionStatus;
    environment: Environment;
    product: string;
    createdAt: string;
    paidAt: string | null;
    paidAmountCents: number | null;
    feeCents: number | null;
    netCents: number | null;
    refundedAmountCents: number;
    unappliedAmountCents: number;
  }[];
  totalTransactions: number;
}
export interface CustomerDetail extends UnversionedCustomerDetail {
  fraudEvents: {
    id: string;
    reason: string;
    fraudType: string;
    amountCents: number;
    product: string;
    createdAt: string;
    /** Null if none was given, or once erased. */
    customerIp: string | null;
  }[];
}

export type BlocklistType = 'ip' | 'cidr' | 'email' | 'document';
export interface BlocklistEntry {
  id: string;
  environment: Environment;
  type: BlocklistType | null;
  value: string | null;
  reason: string | null;
  createdAt: string;
}

export interface EventQuery {
  /** The `id` of the last handled event, or `meta.next`; `now`: new events. Without it: from the first. */
  after?: string;
  /** Only events with these names, such as transaction.paid. */
  types?: readonly string[] | string;
  /** Events a page, at most 1,000. */
  limit?: number;
  /** Seconds to wait for the first event, at most 30; on top of `timeoutMs`. `follow` waits for 20. */
  wait?: number;
}
export interface ProjectEvent {
  /** Also its cursor. */
  id: string;
  /** Such as transaction.paid, customer.blocked, store.changed. Later releases may add some. */
  event: string;
  /** null: it belongs to the project as a whole, and only live keys see it. */
  environment: Environment | null;
  transactionId: string | null;
  customerId: string | null;
  occurredAt: string;
  data: Record<string, unknown>;
}

export interface StoreSettings {
  name: string;
  /** With stars in its middle; null: there are no live transactions. */
  pixKey: string | null;
  merchantName: string;
  merchantCity: string;
  maxTransactionAmountCents: number;
  pixExpirationMinutes: number;
  verifyDocuments: boolean;
  /** The cost of each payment for the store, beside the hundredths of a percent of its amount. */
  feeFixedCents: number;
  feeBasisPoints: number;
  devMode: boolean;
  contact: string | null;
}
export interface Store extends StoreSettings {
  id: string;
  timezone: string;
  /** A data URL. */
  logo: string | null;
  /** `#rrggbb` */
  color: string | null;
  /** The same as contact. */
  supportContact: string | null;
  embedOrigins: string[];
  payerProofs: boolean;
  /** For `verifyReturn`. */
  returnPublicKey: string;
}

/** A checkpoint, and what it says: the number of events, and the root of their Merkle tree in hex. */
export interface LedgerCheckpoint {
  origin: string;
  size: number;
  rootHash: string;
  /** A C2SP signed note. */
  checkpoint: string;
}
export interface LedgerConsistency {
  from: number;
  to: number;
  /** Hashes in base64. */
  proof: string[];
  /** The ledger's newest checkpoint. */
  checkpoint: string;
}

export type CheckoutStatus = 'open' | 'complete' | 'expired' | 'cancelled';
export interface CreateCheckoutSession {
  payment: CreateTransaction['payment'];
  originDomain: string;
  /** Without: the page asks who pays. */
  customer?: CreateTransaction['customer'] | null;
  externalId?: string | null;
  metadata?: Metadata | null;
  /** Where the payer is sent once it is paid; see `verifyReturn`. */
  successUrl?: string | null;
  cancelUrl?: string | null;
  /** 5 to 43,200; default 1,440. */
  expiresInMinutes?: number | null;
  /** Default: as the payer's browser asks. */
  locale?: 'pt-BR' | 'en' | null;
  /** Gets the webhooks of this session's transactions. */
  webhookUrl?: string | null;
  /** Default v2; it cannot be changed. */
  webhookApiVersion?: 'v1' | 'v2' | null;
}
export interface CheckoutSession {
  id: string;
  url: string;
  status: CheckoutStatus;
  environment: Environment;
  /** The newest. */
  transactionId: string | null;
  /** The first that was paid. */
  paidTransactionId: string | null;
  payment: { amountCents: number; product: string; quantity: number; expirationDays: number | null };
  originDomain: string;
  externalId: string;
  successUrl: string | null;
  cancelUrl: string | null;
  locale: 'pt-BR' | 'en' | null;
  webhookUrl: string | null;
  webhookApiVersion: 'v1' | 'v2';
  expiresAt: string;
  createdAt: string;
  updatedAt: string;
}
export interface CheckoutSessionWithSecret extends CheckoutSession {
  /** If it has a `webhookUrl`; shown only this once. */
  webhookSecret?: string;
}
export interface DeliveryQuery extends PageQuery {
  status?: DeliveryStatus;
  /** Those about this transaction. */
  transactionId?: string;
}
export interface CheckoutQuery extends PageQuery, DateQuery {
  status?: CheckoutStatus;
  externalId?: string;
  /** Default: both, as far as the key sees them. */
  environment?: Environment;
}

export interface Channel {
  id: string;
  name: string | null;
  url: string;
  events: WebhookEventName[];
  /** The environments whose transactions it gets. */
  environments: Environment[];
  isActive: boolean;
  webhookApiVersion: 'v1' | 'v2';
  secretHint: string;
  health: {
    /** This, the count and the two times: null in the reply to a change with an idempotency key, except "disabled". */
    status: string | null;
    consecutiveFailures: number | null;
    lastSuccessAt: string | null;
    lastFailureAt: string | null;
    disabledReason: string | null;
  };
  createdAt: string;
  updatedAt: string;
}
/** Keep the secret: it is shown this once. */
export type ChannelWithSecret = Channel & { secret: string };
/** Until `graceEndsAt` webhooks are signed with the old secret and with the new one. */
export type RotatedChannel = ChannelWithSecret & { graceEndsAt: string };
export interface CreateChannel {
  name?: string | null;
  url: string;
  /** Default: the standard ones. */
  events?: readonly WebhookEventName[] | null;
  /** Default: both, or the sandbox alone with a test key. */
  environments?: readonly Environment[] | null;
  webhookApiVersion?: 'v2';
}
export interface UpdateChannel {
  name?: string | null;
  url?: string;
  events?: readonly WebhookEventName[];
  environments?: readonly Environment[];
  isActive?: boolean;
  webhookApiVersion?: 'v2';
}

export interface CausedEvent {
  id: string;
  event: string;
  environment: Environment;
  transactionId: string;
  customerId: string;
  occurredAt: string;
  data: Record<string, unknown>;
  actor: string;
  requestId: string | null;
}
export interface ShownWebhook {
  headers: Record<string, string>;
  body: string | null;
}
export interface ChannelPreview {
  event: string;
  isSample: boolean;
  v1: ShownWebhook | null;
  v2: ShownWebhook;
}
export interface DeliveryWithRequest extends Delivery {
  /** With the first KiB of the receiver's reply; null without a reply. */
  attempts: (DeliveryAttempt & { response: string | null })[];
  request: ShownWebhook & { url: string; webhookApiVersion: 'v1' | 'v2'; attempt: number };
}
export interface ChannelStats {
  hours: { hour: string; delivered: number; failed: number }[];
  delivered: number;
  failed: number;
  pending: number;
  latencyP50Ms: number | null;
  latencyP95Ms: number | null;
  errors: { error: string; count: number }[];
  completeSince: string;
}
export interface StatsQuery {
  from?: string;
  to?: string;
  timezone?: string;
  environment?: Environment;
}
export interface DayStats {
  day: string;
  created: number;
  createdCents: number;
  converted: number;
  paid: number;
  paidCents: number;
  refundedCents: number;
  timeToPayP50Seconds: number | null;
  timeToPayP90Seconds: number | null;
}
export interface Stats {
  days: DayStats[];
  totals: Omit<DayStats, 'day'> & {
    conversion: number | null;
    unappliedCount: number;
    unappliedCents: number;
    /** Payments that fit no transaction and are open. */
    unmatchedCount: number;
    unmatchedCents: number;
    failingChannels: number;
    activeChannels: number;
    /** Active ones to which nothing has been sent. */
    untriedChannels: number;
  };
}
export interface BankConnection {
  id: string;
  alias: string;
  providerId: string;
  providerName: string;
  environment: Environment;
  isDefault: boolean;
  isEnabled: boolean;
  state: 'ok' | 'behind' | 'left_alone' | 'unknown' | null;
  lastPollAt: string | null;
  certificateEndsAt: string | null;
  breakerOpen: boolean | null;
}
export interface FailedRequests {
  groups: {
    code: string;
    field: string | null;
    status: number;
    count: number;
    lastAt: string;
    method: string;
    route: string;
    environment: "live" | "sandbox";
  }[];
  recent: {
    at: string;
    method: string;
    route: string;
    status: number;
    code: string;
    fields: string[];
    requestId: string;
    keyId: string | null;
    userId: string | null;
    environment: Environment;
  }[];
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'exhausted';
export interface DeliveryAttempt {
  number: number;
  at: string;
  httpStatus: number | null;
  latencyMs: number;
  error: string | null;
}
export interface Delivery {
  id: string;
  channelId: string;
  event: string;
  transactionId: string | null;
  /** The order: the transaction's externalId. */
  externalId: string | null;
  environment: Environment;
  status: DeliveryStatus;
  attempts: DeliveryAttempt[];
  nextAttemptAt: string | null;
  createdAt: string;
}

// --- the client ---

export interface ClientOptions {
  apiKey: string;
  /** Such as `https://pay.example.com`. */
  baseUrl: string;
  /** For one attempt, until its reply has been read. Default 30,000. */
  timeoutMs?: number;
  /** Attempts after the first. Default 4. */
  retries?: number;
  /** Permits http: to other hosts than this machine. */
  allowHttp?: boolean;
  /** Default: Node's own. */
  fetch?: typeof globalThis.fetch;
}
export interface CallOptions {
  /** Of POST and PATCH. Default: a random one for each call, which its repeats share. */
  idempotencyKey?: string;
  timeoutMs?: number;
  retries?: number;
  /** Comes back in errors and in the ledger's events. */
  requestId?: string;
  /** Ends the call, its repeats and pauses included; it rejects with the signal's reason. */
  signal?: AbortSignal;
}
export interface FollowOptions extends CallOptions {
  /** Ends at the first empty page that leads no further: for a program that runs from time to time. */
  stopWhenIdle?: boolean;
  /**
   * Called before it continues where a restore has cut off the history: what was delivered on events after that place
   * must be compared with the API.
   */
  onCutOff?: (resumeAfter: string) => void | Promise<void>;
}

type Read<Result> = (options?: CallOptions) => Promise<Result>;
type Send<Body, Result> = (body: Body, options?: CallOptions) => Promise<Result>;
type OnOne<Result> = (id: string, options?: CallOptions) => Promise<Result>;
/** Resolves to null if a repeat found nothing any more: the reply with the removed item is lost. */
type RemoveOne<Result> = (id: string, options?: CallOptions) => Promise<Result | null>;
type SendToOne<Body, Result> = (id: string, body: Body, options?: CallOptions) => Promise<Result>;
type List<Query, Item> = (query?: Query, options?: CallOptions) => Promise<Page<Item>>;
type Iterate<Query, Item> = (query?: Query, options?: CallOptions) => AsyncGenerator<Item, void, undefined>;

/**
 * Calls the API with one key. Calls are repeated, after growing pauses or those that the server requests, when it
 * answers 429, 502, 503 or 504, when the same idempotency key is still in flight, and when there is no reply.
 *
 * Methods ending in All yield every item, page by page. They reject with ApiError, ConnectionError or
 * TimeoutError.
 */
export class PixledgerClient {
  constructor(options: ClientOptions);
  /** Throws: a client holds an API key. */
  toJSON(): never;

  readonly transactions: {
    create: Send<CreateTransaction, CreatedTransaction>;
    list: List<TransactionQuery, TransactionItem>;
    listAll: Iterate<TransactionQuery, TransactionItem>;
    get: OnOne<Transaction>;
    /** As it was at that time, or right after that event of the feed. */
    getAsOf: (id: string, query: { asOf: string | Date }, options?: CallOptions) => Promise<Transaction>;
    cancel: OnOne<Transaction>;
    /** Its events, with their actors. */
    events: (
      id: string,
      query?: { after?: string; limit?: number },
      options?: CallOptions,
    ) => Promise<{ data: CausedEvent[]; meta: { next: string } }>;
    /** Without an amount: the rest that is not refunded yet. */
    refund: (
      id: string,
      body?: { amountCents?: number | null; reason?: string | null },
      options?: CallOptions,
    ) => Promise<Transaction>;
    /** Its code as a QR code, black on white, while it waits for payment: `size` 192 to 1024 pixels, default 512. */
    qrSvg: (id: string, query?: { size?: number }, options?: CallOptions) => Promise<string>;
    qrPng: (id: string, query?: { size?: number }, options?: CallOptions) => Promise<Uint8Array>;
    /** Its events with the proof that the ledger holds them: see verifyReceipt. */
    receipt: OnOne<Receipt>;
  };
  readonly customers: {
    /** Creates the customer, or replaces the one with the same document. */
    save: Send<SaveCustomer, Customer>;
    list: List<CustomerQuery, Customer>;
    listAll: Iterate<CustomerQuery, Customer>;
    get: OnOne<CustomerDetail>;
    block: SendToOne<
      { blockType: 'manual' | 'fraud'; reason: string; expiresAt?: string | Date | null },
      CustomerDetail
    >;
    unblock: OnOne<CustomerDetail>;
  };
  readonly blocklist: {
    list: List<PageQuery & EnvironmentQuery, BlocklistEntry>;
    listAll: Iterate<PageQuery & EnvironmentQuery, BlocklistEntry>;
    add: Send<
      {
        type: BlocklistType;
        value: string;
        reason?: string | null;
        /** Default: the key's own. */
        environment?: Environment | null;
      },
      BlocklistEntry
    >;
    remove: RemoveOne<BlocklistEntry>;
  };
  readonly events: {
    /** A page, oldest first; `meta.next` is the `after` of the next one. */
    list: (query?: EventQuery, options?: CallOptions) => Promise<{ data: ProjectEvent[]; meta: { next: string } }>;
    /**
     * Every event from `after` on, without a gap; waits for new ones until the caller stops. After the first
     * reply it retries temporary failures, with pauses of up to 8 seconds, without limit or `retries` times if given.
     * If a restore has cut off the history after its place, it continues where that ends.
     */
    follow: (query?: EventQuery, options?: FollowOptions) => AsyncGenerator<ProjectEvent, void, undefined>;
  };
  readonly ledger: {
    /** The current checkpoint: the number of events and the root of their Merkle tree, signed. */
    checkpoint: Read<LedgerCheckpoint>;
    /** The proof that the state of `to` events, by default all, continues that of `from` events (RFC 6962). */
    consistency: (query: { from: number; to?: number }, options?: CallOptions) => Promise<LedgerConsistency>;
  };
  readonly store: {
    get: Read<Store>;
    update: Send<
      {
        name?: string | null;
        pixExpirationMinutes?: number | null;
        maxTransactionAmountCents?: number | null;
        timezone?: string | null;
        /** A data URL of a PNG or WebP image of at most 24 KiB. An empty text removes it, as for those below. */
        logo?: string | null;
        color?: string | null;
        supportContact?: string | null;
        /** At most 10. */
        embedOrigins?: readonly string[] | null;
        payerProofs?: boolean | null;
      },
      Store
    >;
  };
  readonly channels: {
    create: Send<CreateChannel, ChannelWithSecret>;
    list: List<PageQuery, Channel>;
    listAll: Iterate<PageQuery, Channel>;
    get: OnOne<Channel>;
    update: SendToOne<UpdateChannel, Channel>;
    delete: RemoveOne<Channel>;
    /** The old secret stays valid for the grace, by default 86,400 s. */
    rotateSecret: (
      id: string,
      body?: { graceSeconds?: number | null },
      options?: CallOptions,
    ) => Promise<RotatedChannel>;
    test: OnOne<Delivery>;
    deliveries: (
      id: string,
      query?: DeliveryQuery,
      options?: CallOptions,
    ) => Promise<Page<Delivery>>;
    deliveriesAll: (
      id: string,
      query?: DeliveryQuery,
      options?: CallOptions,
    ) => AsyncGenerator<Delivery, void, undefined>;
    /** Sends again what the channel missed. */
    recover: SendToOne<
      { since: string | Date; until?: string | Date | null; dryRun?: boolean | null },
      { queued: number; hastened: number }
    >;
    /** Its receiver's replies of the last 24 hours. */
    stats: OnOne<ChannelStats>;
    /** An event in both versions. */
    preview: (
      id: string,
      query?: { event?: string; webhookApiVersion?: 'v2' },
      options?: CallOptions,
    ) => Promise<ChannelPreview>;
    /** The catalogue of events. */
    events: Read<Record<string, unknown>[]>;
  };
  readonly checkout: {
    /** Send the payer to its `url`. */
    create: Send<CreateCheckoutSession, CheckoutSessionWithSecret>;
    list: List<CheckoutQuery, CheckoutSession>;
    listAll: Iterate<CheckoutQuery, CheckoutSession>;
    get: OnOne<CheckoutSession>;
    /** And its transaction that waits for its payment. */
    cancel: OnOne<CheckoutSession>;
    /** Of its `webhookUrl`. */
    deliveries: (
      id: string,
      query?: DeliveryQuery,
      options?: CallOptions,
    ) => Promise<Page<Delivery>>;
    deliveriesAll: (
      id: string,
      query?: DeliveryQuery,
      options?: CallOptions,
    ) => AsyncGenerator<Delivery, void, undefined>;
  };
  readonly deliveries: {
    /** With what was sent; signatures are left out. */
    get: OnOne<DeliveryWithRequest>;
    redeliver: OnOne<Delivery>;
  };
  /** Figures and tables for people. */
  readonly overview: {
    search: (
      query: { q: string },
      options?: CallOptions,
    ) => Promise<{ transactions: TransactionItem[]; customers: Customer[]; payments: UnmatchedPayment[] }>;
    stats: (query?: StatsQuery, options?: CallOptions) => Promise<Stats>;
    connections: Read<BankConnection[]>;
    failedRequests: (
      query?: { code?: string; field?: string; limit?: number },
      options?: CallOptions,
    ) => Promise<FailedRequests>;
    /** The whole table as text. A workbook (`format: 'xlsx'`) is bytes: fetch it yourself. */
    exportTable: (
      what: 'charges' | 'payments' | 'refunds' | 'deliveries',
      query?: {
        format?: 'csv' | 'csv-br' | 'jsonl';
        language?: 'pt' | 'en';
        by?: 'recorded' | 'paid';
        environment?: Environment;
        from?: string;
        to?: string;
        timezone?: string;
      },
      options?: CallOptions,
    ) => Promise<string>;
  };
  /** What test keys can do with transactions of the sandbox. */
  readonly sandbox: {
    pay: OnOne<{ transactionId: string; status: 'paid'; paidAt: string }>;
    expire: OnOne<{ transactionId: string; status: 'expired'; expiredAt: string }>;
    fail: OnOne<{ transactionId: string; status: 'failed'; failedAt: string }>;
  };
  /** The paths without a version: the same things with slightly other fields. */
  readonly unversioned: {
    readonly transactions: {
      list: List<TransactionQuery, UnversionedTransactionItem>;
      listAll: Iterate<TransactionQuery, UnversionedTransactionItem>;
      get: OnOne<Transaction>;
    };
    readonly customers: {
      save: Send<SaveCustomer, Customer>;
      list: List<CustomerQuery, Customer>;
      listAll: Iterate<CustomerQuery, Customer>;
      get: OnOne<UnversionedCustomerDetail>;
    };
  };
  /** About the server; needs no key. */
  readonly service: {
    alive: Read<{ status: 'ok' }>;
    ready: Read<{ status: 'ready' }>;
    /** Prometheus text. */
    metrics: Read<string>;
    document: Read<Record<string, unknown>>;
  };
}
