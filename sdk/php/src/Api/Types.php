<?php

declare(strict_types=1);

// Made from the OpenAPI document by scripts/lib/sdk/php.mjs: change these.

namespace Pixledger\Api;

/**
 * The API's data, as phpstan knows it.
 *
 * @phpstan-type AddBlocklistEntry array{type: BlocklistType, value: string, reason?: string|null,
 *     environment?: 'live'|'sandbox'|null}
 * @phpstan-type AddChannel array{name?: string|null, url: string, environments?: list<'live'|'sandbox'>|null,
 *     events?: list<WebhookEvent>|null, webhookApiVersion?: 'v2'|null}
 * @phpstan-type AddedPayment array{endToEndId: string, amountCents: int, feeCents: int, paidAt: string}
 * @phpstan-type AddressInput array{street?: string|null, streetNumber?: string|null, neighborhood?: string|null,
 *     complement?: string|null, zipCode?: string|null, city?: string|null, state?: string|null,
 *     country?: string|null}|null
 * @phpstan-type Alive array{status: 'ok'}
 * @phpstan-type AnsweredAttempt array{number: int, at: string, httpStatus: int|null, latencyMs: int,
 *     error: string|null, response: string|null}
 * @phpstan-type BankConnectionEvent array{id: string, event: ('connection.configured'|
 *     'connection.callback_registered'|'connection.callback_removed'), environment: null, transactionId: null,
 *     customerId: null, occurredAt: string, data: array{connectionId: string}}
 * @phpstan-type BlockCustomer array{blockType: 'manual'|'fraud', reason: string,
 *     expiresAt?: string|\DateTimeInterface|null}
 * @phpstan-type BlocklistAddedEvent array{id: string, event: 'blocklist.added', environment: 'live'|'sandbox',
 *     transactionId: null, customerId: null, occurredAt: string, data: array{entryId: string,
 *     type: 'ip'|'cidr'|'email'|'document'|null, value: string|null, reason: string|null}}
 * @phpstan-type BlocklistEntry array{id: string, environment: 'live'|'sandbox',
 *     type: 'ip'|'cidr'|'email'|'document'|null, value: string|null, reason: string|null, createdAt: string}
 * @phpstan-type BlocklistRemovedEvent array{id: string, event: 'blocklist.removed', environment: 'live'|'sandbox',
 *     transactionId: null, customerId: null, occurredAt: string, data: array{entryId: string}}
 * @phpstan-type BlocklistType 'ip'|'cidr'|'email'|'document'
 * @phpstan-type CatalogueEntry array{event: WebhookEvent, description: string, payloadType: 'transaction'|'store',
 *     extraFields: list<string>}
 * @phpstan-type ChangeStore array{name?: string|null, pixExpirationMinutes?: int|null,
 *     maxTransactionAmountCents?: int|null, timezone?: string|null, logo?: string|null, color?: string|null,
 *     supportContact?: string|null, embedOrigins?: list<string>|null, payerProofs?: bool|null}
 * @phpstan-type ChannelAddedEvent array{id: string, event: 'channel.added', environment: null, transactionId: null,
 *     customerId: null, occurredAt: string, data: array{channelId: string, name: string|null, url: string,
 *     events: string, webhookApiVersion: 'v1'|'v2', environments: 'live'|'sandbox'|'live,sandbox'|null,
 *     checkoutSessionId?: string}}
 * @phpstan-type ChannelChangedEvent array{id: string, event: 'channel.changed', environment: null,
 *     transactionId: null, customerId: null, occurredAt: string, data: array{channelId: string, name: string|null,
 *     url: string, events: string, webhookApiVersion: 'v1'|'v2', isActive: bool,
 *     environments: 'live'|'sandbox'|'live,sandbox'|null}}
 * @phpstan-type ChannelDeletedEvent array{id: string, event: 'channel.deleted', environment: null,
 *     transactionId: null, customerId: null, occurredAt: string, data: array{channelId: string}}
 * @phpstan-type ChannelDisabledEvent array{id: string, event: 'channel.disabled', environment: null,
 *     transactionId: null, customerId: null, occurredAt: string, data: array{channelId: string,
 *     reason: 'gone'|'failing'}}
 * @phpstan-type ChannelHealth array{status: 'ok'|'failing'|'disabled'|null, consecutiveFailures: int|null,
 *     lastSuccessAt: string|null, lastFailureAt: string|null, disabledReason: 'gone'|'failing'|null}
 * @phpstan-type ChannelPreview array{event: DeliveredEvent, isSample: bool, v1: PreviewedWebhook|null,
 *     v2: PreviewedWebhook}
 * @phpstan-type ChannelSecretRotatedEvent array{id: string, event: 'channel.secret_rotated', environment: null,
 *     transactionId: null, customerId: null, occurredAt: string, data: array{channelId: string, graceEndsAt: string}}
 * @phpstan-type ChannelStats array{hours: list<array{hour: string, delivered: int, failed: int}>, delivered: int,
 *     failed: int, pending: int, latencyP50Ms: int|null, latencyP95Ms: int|null, errors: list<array{error: string,
 *     count: int}>, completeSince: string}
 * @phpstan-type ChannelTestRequestedEvent array{id: string, event: 'channel.test_requested', environment: null,
 *     transactionId: null, customerId: null, occurredAt: string, data: array{channelId: string, deliveryId: string,
 *     environment: 'live'|'sandbox'}}
 * @phpstan-type CheckoutCompletedEvent array{id: string, event: 'checkout.completed', environment: 'live'|'sandbox',
 *     transactionId: null, customerId: null, occurredAt: string, data: array{checkoutSessionId: string,
 *     transactionId: string}}
 * @phpstan-type CheckoutCreatedEvent array{id: string, event: 'checkout.created', environment: 'live'|'sandbox',
 *     transactionId: null, customerId: null, occurredAt: string, data: array{checkoutSessionId: string,
 *     amountCents: int, product: string, quantity: int, expirationDays: int|null, originDomain: string,
 *     externalId: string|null, successUrl: string|null, cancelUrl: string|null, locale: 'pt-BR'|'en'|null,
 *     webhookApiVersion: 'v1'|'v2', expiresAt: string, metadata: array<string, string>}}
 * @phpstan-type CheckoutEndedEvent array{id: string, event: 'checkout.cancelled'|'checkout.expired',
 *     environment: 'live'|'sandbox', transactionId: null, customerId: null, occurredAt: string,
 *     data: array{checkoutSessionId: string}}
 * @phpstan-type CheckoutSession array{id: string, url: string, status: 'open'|'complete'|'expired'|'cancelled',
 *     environment: 'live'|'sandbox', transactionId: string|null, paidTransactionId: string|null,
 *     payment: array{amountCents: int, product: string, quantity: int, expirationDays: int|null},
 *     originDomain: string, externalId: string, successUrl: string|null, cancelUrl: string|null,
 *     locale: 'pt-BR'|'en'|null, webhookUrl: string|null, webhookApiVersion: 'v1'|'v2', expiresAt: string,
 *     createdAt: string, updatedAt: string}
 * @phpstan-type CheckoutSessionWithSecret array{id: string, url: string,
 *     status: 'open'|'complete'|'expired'|'cancelled', environment: 'live'|'sandbox', transactionId: string|null,
 *     paidTransactionId: string|null, payment: array{amountCents: int, product: string, quantity: int,
 *     expirationDays: int|null}, originDomain: string, externalId: string, successUrl: string|null,
 *     cancelUrl: string|null, locale: 'pt-BR'|'en'|null, webhookUrl: string|null, webhookApiVersion: 'v1'|'v2',
 *     expiresAt: string, createdAt: string, updatedAt: string, webhookSecret?: string}
 * @phpstan-type CheckoutTransactionAddedEvent array{id: string, event: 'checkout.transaction_added',
 *     environment: 'live'|'sandbox', transactionId: null, customerId: null, occurredAt: string,
 *     data: array{checkoutSessionId: string, transactionId: string, customerId: string}}
 * @phpstan-type Checkpoint array{origin: string, size: int, rootHash: string, checkpoint: string}
 * @phpstan-type Connection array{id: string, alias: string, providerId: string, providerName: string}
 * @phpstan-type ConnectionAddedEvent array{id: string, event: 'connection.added', environment: null,
 *     transactionId: null, customerId: null, occurredAt: string, data: array{connectionId: string, alias: string,
 *     providerId: string, providerName: string, environment: 'live'|'sandbox'}}
 * @phpstan-type ConnectionChangedEvent array{id: string, event: 'connection.changed', environment: null,
 *     transactionId: null, customerId: null, occurredAt: string, data: array{connectionId: string, alias: string,
 *     providerId: string, providerName: string, environment: 'live'|'sandbox', isEnabled: bool}}
 * @phpstan-type Consistency array{from: int, to: int, proof: list<string>, checkpoint: string}
 * @phpstan-type CreateCheckoutSession array{payment: array{amountCents: int, product: string, quantity?: int|null,
 *     expirationDays?: int|null}, originDomain: string, customer?: array{name: string, document: string,
 *     email: string, phone: string, address?: AddressInput}|null, externalId?: string|null, metadata?: array<string,
 *     string>|null, successUrl?: string|null, cancelUrl?: string|null, expiresInMinutes?: int|null,
 *     locale?: 'pt-BR'|'en'|null, webhookUrl?: string|null, webhookApiVersion?: 'v1'|'v2'|null}
 * @phpstan-type CreateTransaction array{customer: array{name: string, document: string, email: string, phone: string,
 *     address?: AddressInput}, payment: array{amountCents: int, product: string, quantity?: int|null,
 *     expirationDays?: int|null, expirationMinutes?: int|null}, originDomain: string, customerIp?: string|null,
 *     externalId?: string|null, connectionId?: string|null, metadata?: array<string, string>|null}
 * @phpstan-type CreatedTransaction array{id: string, status: 'waiting_payment', amountCents: int, qrCode: string,
 *     pixCode: string, expirationDate: string, environment: 'live'|'sandbox'}
 * @phpstan-type Customer array{id: string, environment: 'live'|'sandbox', name: string, document: string|null,
 *     phone: string|null, email: string|null, street: string|null, streetNumber: string|null,
 *     neighborhood: string|null, complement: string|null, zipCode: string|null, city: string|null,
 *     state: string|null, country: string|null, metadata: array<string, string>|null, isBlocked: bool,
 *     createdAt: string, updatedAt: string, erasedAt?: string}
 * @phpstan-type CustomerBlockedEvent array{id: string, event: 'customer.blocked', environment: 'live'|'sandbox',
 *     transactionId: null, customerId: string, occurredAt: string, data: array{blockType: 'manual'|'fraud',
 *     reason: string|null, blockExpiresAt: string|null}}
 * @phpstan-type CustomerDetail array{id: string, environment: 'live'|'sandbox', name: string, document: string|null,
 *     phone: string|null, email: string|null, street: string|null, streetNumber: string|null,
 *     neighborhood: string|null, complement: string|null, zipCode: string|null, city: string|null,
 *     state: string|null, country: string|null, metadata: array<string, string>|null, isBlocked: bool,
 *     createdAt: string, updatedAt: string, erasedAt?: string, projectId: string, blockedAt: string|null,
 *     blockedReason: string|null, blockExpiresAt: string|null, blockType: 'manual'|'fraud'|null,
 *     recentTransactions: list<RecentTransaction>, totalTransactions: int}
 * @phpstan-type CustomerDetailV1 array{id: string, environment: 'live'|'sandbox', name: string,
 *     document: string|null, phone: string|null, email: string|null, street: string|null, streetNumber: string|null,
 *     neighborhood: string|null, complement: string|null, zipCode: string|null, city: string|null,
 *     state: string|null, country: string|null, metadata: array<string, string>|null, isBlocked: bool,
 *     createdAt: string, updatedAt: string, erasedAt?: string, projectId: string, blockedAt: string|null,
 *     blockedReason: string|null, blockExpiresAt: string|null, blockType: 'manual'|'fraud'|null,
 *     recentTransactions: list<RecentTransaction>, totalTransactions: int, fraudEvents: list<FraudEvent>}
 * @phpstan-type CustomerErasedEvent array{id: string, event: 'customer.erased', environment: 'live'|'sandbox',
 *     transactionId: null, customerId: string, occurredAt: string, data: array<string, mixed>}
 * @phpstan-type CustomerSavedEvent array{id: string, event: 'customer.created'|'customer.updated',
 *     environment: 'live'|'sandbox', transactionId: null, customerId: string, occurredAt: string,
 *     data: array{name: string|null, document: string|null, email: string|null, phone: string|null,
 *     street: string|null, streetNumber: string|null, neighborhood: string|null, complement: string|null,
 *     zipCode: string|null, city: string|null, state: string|null, country: string|null, metadata: array<string,
 *     string>|null}}
 * @phpstan-type CustomerSummary array{id: string, name: string, email: string|null}
 * @phpstan-type CustomerUnblockedEvent array{id: string, event: 'customer.unblocked', environment: 'live'|'sandbox',
 *     transactionId: null, customerId: string, occurredAt: string, data: array<string, mixed>}
 * @phpstan-type DefaultConnectionSetEvent array{id: string, event: 'connection.default_set', environment: null,
 *     transactionId: null, customerId: null, occurredAt: string, data: array{connectionId: string,
 *     environment: 'live'|'sandbox'}}
 * @phpstan-type DeliveredEvent ('transaction.created'|'transaction.paid'|'transaction.expired'|
 *     'transaction.refunded'|'transaction.cancelled'|'transaction.failed'|'transaction.partially_refunded'|
 *     'payment.unapplied'|'payment.settled'|'store.changed'|'webhook.test')
 * @phpstan-type Delivery array{id: string, channelId: string, event: DeliveredEvent, transactionId: string|null,
 *     externalId: string|null, environment: 'live'|'sandbox', status: 'pending'|'delivered'|'failed'|'exhausted',
 *     nextAttemptAt: string|null, createdAt: string, attempts: list<DeliveryAttempt>}
 * @phpstan-type DeliveryAttempt array{number: int, at: string, httpStatus: int|null, latencyMs: int,
 *     error: string|null}
 * @phpstan-type DeliveryDetail array{id: string, channelId: string, event: DeliveredEvent,
 *     transactionId: string|null, externalId: string|null, environment: 'live'|'sandbox',
 *     status: 'pending'|'delivered'|'failed'|'exhausted', nextAttemptAt: string|null, createdAt: string,
 *     attempts: list<AnsweredAttempt>, request: SentRequest}
 * @phpstan-type Domain array{id: string, host: string}
 * @phpstan-type Event (TransactionCreatedEvent|TransactionPaidEvent|TransactionMovedEvent|TransactionFailedEvent|
 *     TransactionRefundedEvent|TransactionCodeSetEvent|RefundRequestedEvent|RefundFailedEvent|
 *     TransactionRefusedEvent|PaymentUnappliedEvent|PaymentReturnedEvent|PaymentReturnEvent|PaymentReversedEvent|
 *     PaymentAddedEvent|CustomerSavedEvent|CustomerBlockedEvent|CustomerUnblockedEvent|CustomerErasedEvent|
 *     BlocklistAddedEvent|BlocklistRemovedEvent|ChannelAddedEvent|ChannelChangedEvent|ChannelDeletedEvent|
 *     ChannelSecretRotatedEvent|ChannelDisabledEvent|ChannelTestRequestedEvent|RedeliveryRequestedEvent|
 *     RecoveryRequestedEvent|KeyIssuedEvent|KeyExpirySetEvent|KeyRevokedEvent|StoreCreatedEvent|StoreChangedEvent|
 *     ConnectionAddedEvent|ConnectionChangedEvent|DefaultConnectionSetEvent|BankConnectionEvent|CheckoutCreatedEvent|
 *     CheckoutTransactionAddedEvent|CheckoutCompletedEvent|CheckoutEndedEvent|MemberRoleEvent|MemberEvent)
 * @phpstan-type EventsMeta array{next: string}
 * @phpstan-type ExpiredSimulation array{transactionId: string, status: 'expired', expiredAt: string}
 * @phpstan-type FailedRequest array{at: string, method: string, route: string, status: int, code: string,
 *     fields: list<string>, requestId: string, keyId: string|null, userId: string|null,
 *     environment: 'live'|'sandbox'}
 * @phpstan-type FailedRequestGroup array{code: string, field: string|null, status: int, count: int, lastAt: string,
 *     method: string, route: string, environment: 'live'|'sandbox'}
 * @phpstan-type FailedRequests array{groups: list<FailedRequestGroup>, recent: list<FailedRequest>}
 * @phpstan-type FailedSimulation array{transactionId: string, status: 'failed', failedAt: string}
 * @phpstan-type Found array{transactions: list<TransactionItemV1>, customers: list<Customer>,
 *     payments: list<UnmatchedPayment>}
 * @phpstan-type FraudEvent array{id: string, reason: string, fraudType: ('blocked_customer'|'blocklist_ip'|
 *     'blocklist_email'|'blocklist_document'), amountCents: int, product: string, createdAt: string,
 *     customerIp: string|null}
 * @phpstan-type KeyExpirySetEvent array{id: string, event: 'api_key.expiry_set', environment: null,
 *     transactionId: null, customerId: null, occurredAt: string, data: array{keyId: string, expiresAt: string}}
 * @phpstan-type KeyIssuedEvent array{id: string, event: 'api_key.issued', environment: null, transactionId: null,
 *     customerId: null, occurredAt: string, data: array{keyId: string, environment: 'live'|'sandbox', scopes: string,
 *     sandboxOnly: bool, expiresAt: string|null}}
 * @phpstan-type KeyRevokedEvent array{id: string, event: 'api_key.revoked', environment: null, transactionId: null,
 *     customerId: null, occurredAt: string, data: array{keyId: string}}
 * @phpstan-type ListedConnection array{id: string, alias: string, providerId: string, providerName: string,
 *     environment: 'live'|'sandbox', isDefault: bool, isEnabled: bool,
 *     state: 'ok'|'behind'|'left_alone'|'unknown'|null, lastPollAt: string|null, certificateEndsAt: string|null,
 *     breakerOpen: bool|null}
 * @phpstan-type MemberEvent array{id: string, event: 'member.removed'|'member.invited', environment: null,
 *     transactionId: null, customerId: null, occurredAt: string, data: array{userId: string}}
 * @phpstan-type MemberRoleEvent array{id: string, event: 'member.added'|'member.role_changed', environment: null,
 *     transactionId: null, customerId: null, occurredAt: string, data: array{userId: string,
 *     role: 'owner'|'operator'|'viewer'}}
 * @phpstan-type Meta array{total: int, page: int, limit: int, totalPages: int, timezone?: string}
 * @phpstan-type NotificationChannel array{id: string, name: string|null, url: string, events: list<WebhookEvent>,
 *     environments: list<'live'|'sandbox'>, isActive: bool, webhookApiVersion: 'v1'|'v2', secretHint: string,
 *     health: ChannelHealth, createdAt: string, updatedAt: string}
 * @phpstan-type NotificationChannelWithSecret array{id: string, name: string|null, url: string,
 *     events: list<WebhookEvent>, environments: list<'live'|'sandbox'>, isActive: bool, webhookApiVersion: 'v1'|'v2',
 *     secretHint: string, health: ChannelHealth, createdAt: string, updatedAt: string, secret: string,
 *     graceEndsAt?: string}
 * @phpstan-type PaidSimulation array{transactionId: string, status: 'paid', paidAt: string}
 * @phpstan-type PaymentAddedEvent array{id: string, event: 'payment.added', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{endToEndId: string,
 *     amountCents: int, paidAt: string, paidAmountCents: int, feeCents: int|null}}
 * @phpstan-type PaymentReturnEvent array{id: string, event: 'payment.return_requested'|'payment.return_failed',
 *     environment: 'live'|'sandbox', transactionId: string, customerId: string, occurredAt: string,
 *     data: array{refundId: string, endToEndId: string, reason: string|null}}
 * @phpstan-type PaymentReturnedEvent array{id: string, event: 'payment.returned', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{endToEndId: string,
 *     reason: string|null}}
 * @phpstan-type PaymentReversedEvent array{id: string, event: 'payment.reversed', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{endToEndId: string,
 *     refundId: string, amountCents: int}}
 * @phpstan-type PaymentUnappliedEvent array{id: string, event: 'payment.unapplied', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{endToEndId: string,
 *     amountCents: int, paidAt: string, flag: ('PAID_AFTER_EXPIRY'|'PAID_AFTER_CLOSE'|'DUPLICATE_PAYMENT'|
 *     'AMOUNT_MISMATCH')}}
 * @phpstan-type PreviewedWebhook array{headers: array<string, string>, body: string|null}
 * @phpstan-type ProvenEvent array{position: int, leaf: string, personal: string|null, proof: list<string>,
 *     event: TransactionEvent}
 * @phpstan-type Ready array{status: 'ready'}
 * @phpstan-type Receipt array{transactionId: string, checkpoint: string, events: list<ProvenEvent>}
 * @phpstan-type RecentTransaction array{id: string, amountCents: int, status: TransactionStatus,
 *     environment: 'live'|'sandbox', product: string, createdAt: string, paidAt: string|null,
 *     paidAmountCents: int|null, feeCents: int|null, netCents: int|null, refundedAmountCents: int,
 *     unappliedAmountCents: int}
 * @phpstan-type RecoverDeliveries array{since: string|\DateTimeInterface, until?: string|\DateTimeInterface|null,
 *     dryRun?: bool|null}
 * @phpstan-type Recovery array{queued: int, hastened: int}
 * @phpstan-type RecoveryRequestedEvent array{id: string, event: 'channel.recovery_requested', environment: null,
 *     transactionId: null, customerId: null, occurredAt: string, data: array{channelId: string, since: string,
 *     until: string, queued: int, hastened: int}}
 * @phpstan-type RedeliveryRequestedEvent array{id: string, event: 'channel.redelivery_requested', environment: null,
 *     transactionId: null, customerId: null, occurredAt: string, data: array{channelId: string, deliveryId: string}}
 * @phpstan-type Refund array{id: string, amountCents: int, status: 'pending'|'done'|'failed'|'recorded', moved: bool,
 *     origin: 'merchant'|'bank', requestedAt: string, settledAt: string|null, reason: string|null,
 *     endToEndId?: string}
 * @phpstan-type RefundFailedEvent array{id: string, event: 'refund.failed', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{refundId: string}}
 * @phpstan-type RefundRequestedEvent array{id: string, event: 'refund.requested', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{refundId: string, amountCents: int,
 *     reason: string|null}}
 * @phpstan-type RefundTransaction array{amountCents?: int|null, reason?: string|null}
 * @phpstan-type RotateSecret array{graceSeconds?: int|null}
 * @phpstan-type SaveCustomer array{name: string, document: string, email: string, phone: string,
 *     address: WholeAddressInput, environment?: 'live'|'sandbox'|null, metadata?: array<string, string>|null}
 * @phpstan-type SentRequest array{url: string, webhookApiVersion: 'v1'|'v2', attempt: int, headers: array<string,
 *     string>, body: string|null}
 * @phpstan-type Stats array{days: list<StatsDay>, totals: StatsTotals}
 * @phpstan-type StatsDay array{day: string, created: int, createdCents: int, converted: int, paid: int,
 *     paidCents: int, refundedCents: int, timeToPayP50Seconds: int|null, timeToPayP90Seconds: int|null}
 * @phpstan-type StatsTotals array{created: int, createdCents: int, converted: int, paid: int, paidCents: int,
 *     refundedCents: int, timeToPayP50Seconds: int|null, timeToPayP90Seconds: int|null, conversion: float|null,
 *     unappliedCount: int, unappliedCents: int, unmatchedCount: int, unmatchedCents: int, failingChannels: int,
 *     activeChannels: int, untriedChannels: int}
 * @phpstan-type Store array{name: string, pixKey: string|null, merchantName: string, merchantCity: string,
 *     maxTransactionAmountCents: int, pixExpirationMinutes: int, verifyDocuments: bool, feeFixedCents: int,
 *     feeBasisPoints: int, devMode: bool, contact: string|null, id: string, timezone: string, logo: string|null,
 *     color: string|null, supportContact: string|null, embedOrigins: list<string>, payerProofs: bool,
 *     returnPublicKey: string}
 * @phpstan-type StoreChangedEvent array{id: string, event: 'store.changed', environment: null, transactionId: null,
 *     customerId: null, occurredAt: string, data: array{name: string, devMode: bool, pixExpirationMinutes: int,
 *     maxTransactionAmountCents: int, changed: list<string>, before: StoreSettingsThen, after: StoreSettingsThen}}
 * @phpstan-type StoreCreatedEvent array{id: string, event: 'store.created', environment: null, transactionId: null,
 *     customerId: null, occurredAt: string, data: array{name: string, devMode: bool, pixExpirationMinutes: int,
 *     maxTransactionAmountCents: int}}
 * @phpstan-type StoreSettingsThen array{name: string, pixKey: string|null, merchantName: string,
 *     merchantCity: string, maxTransactionAmountCents: int, pixExpirationMinutes: int, verifyDocuments: bool,
 *     feeFixedCents: int, feeBasisPoints: int, devMode: bool, contact: string|null, timezone?: string, logo?: string,
 *     color?: string, embedOrigins?: string, payerProofs?: bool}
 * @phpstan-type Transaction array{id: string, externalId: string, transactionCode: string|null,
 *     status: TransactionStatus, environment: 'live'|'sandbox', amountCents: int, product: string, quantity: int,
 *     paidAt: string|null, paidAmountCents: int|null, feeCents: int|null, netCents: int|null,
 *     refundedAmountCents: int, unappliedAmountCents: int, createdAt: string, updatedAt: string,
 *     metadata: array<string, string>, pixCode: string, expirationDate: string, refundedAt: string|null,
 *     customer: TransactionCustomer, unappliedPayments: list<UnappliedPayment>, addedPayments?: list<AddedPayment>,
 *     refundsMoveMoney: bool, refunds: list<Refund>}
 * @phpstan-type TransactionCodeSetEvent array{id: string, event: 'transaction.code_set',
 *     environment: 'live'|'sandbox', transactionId: string, customerId: string, occurredAt: string,
 *     data: array{kind: 'dynamic'|'static', pixCode: string}}
 * @phpstan-type TransactionCreatedEvent array{id: string, event: 'transaction.created',
 *     environment: 'live'|'sandbox', transactionId: string, customerId: string, occurredAt: string,
 *     data: array{environment: 'live'|'sandbox', externalId: string, amountCents: int, product: string,
 *     quantity: int, originDomain: string, connectionId: string, expirationDate: string, pixCode: string,
 *     checkoutSessionId?: string, metadata: array<string, string>}}
 * @phpstan-type TransactionCustomer array{id: string, name: string, document: string|null, email: string|null,
 *     phone: string|null}
 * @phpstan-type TransactionEvent (array{type: 'ChargeCreated', data: array{transactionId: string, projectId: string,
 *     environment: 'live'|'sandbox', customerId: string, connectionId: string, externalId: string|null,
 *     amountCents: int, product: string, quantity: int, originDomain: string, expiresAt: string, pixCode: string,
 *     customerIp: string|null, metadata?: array<string, string>, throughBank?: true, codeAwaitedUntil?: string,
 *     codeFallback?: 'static'|'none'}}|array{type: 'ChargePaid', data: array{endToEndId: string, amountCents: int,
 *     paidAt: string, feeCents: int|null}}|array{type: 'ChargeFailed', data: array{reason: string|null}}|
 *     array{type: 'ChargeRefunded', data: array{amountCents: int, reason: string|null, refundId?: string}}|
 *     array{type: 'ChargeCodeSet', data: array{kind: 'dynamic'|'static', pixCode: string}}|
 *     array{type: 'RefundRequested', data: array{refundId: string, amountCents: int, reason: string|null,
 *     endToEndId?: string}}|array{type: 'RefundDone', data: array{refundId: string, settledAt: string}}|
 *     array{type: 'RefundFailed', data: array{refundId: string}}|
 *     array{type: 'UnappliedReturnRequested'|'UnappliedReturnFailed', data: array{refundId: string,
 *     endToEndId: string, reason: string|null}}|array{type: 'PaymentReversed', data: array{refundId: string,
 *     returnId: string, amountCents: int, reversedAt: string, endToEndId?: string}}|
 *     array{type: 'UnappliedPaymentReversed', data: array{endToEndId: string, refundId: string, returnId: string,
 *     amountCents: int, reversedAt: string}}|array{type: 'PaymentLeftUnapplied', data: array{endToEndId: string,
 *     amountCents: int, paidAt: string, flag: ('PAID_AFTER_EXPIRY'|'PAID_AFTER_CLOSE'|'DUPLICATE_PAYMENT'|
 *     'AMOUNT_MISMATCH')}}|array{type: 'UnappliedPaymentAccepted'|'UnappliedPaymentAdded',
 *     data: array{endToEndId: string, feeCents: int|null}}|array{type: 'UnappliedPaymentReturned',
 *     data: array{endToEndId: string, reason: string|null, refundId?: string, returnedAt?: string}}|
 *     array{type: ('ChargeProcessingStarted'|'ChargeExpired'|'ChargeCancelled'|'ChargeCancelRequested'|
 *     'ChargeCancelDropped'), data: array<string, mixed>})
 * @phpstan-type TransactionFailedEvent array{id: string, event: 'transaction.failed', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{reason: string|null}}
 * @phpstan-type TransactionHistoryEvent (array{id: string, event: 'transaction.created',
 *     environment: 'live'|'sandbox', transactionId: string, customerId: string, occurredAt: string,
 *     data: array{environment: 'live'|'sandbox', externalId: string, amountCents: int, product: string,
 *     quantity: int, originDomain: string, connectionId: string, expirationDate: string, pixCode: string,
 *     checkoutSessionId?: string, metadata: array<string, string>}, actor: string, requestId: string|null}|
 *     array{id: string, event: 'transaction.paid', environment: 'live'|'sandbox', transactionId: string,
 *     customerId: string, occurredAt: string, data: array{endToEndId: string, amountCents: int, paidAt: string,
 *     feeCents: int|null}, actor: string, requestId: string|null}|array{id: string, event: ('transaction.processing'|
 *     'transaction.expired'|'transaction.cancelled'|'transaction.cancel_requested'|'transaction.cancel_dropped'),
 *     environment: 'live'|'sandbox', transactionId: string, customerId: string, occurredAt: string,
 *     data: array<string, mixed>, actor: string, requestId: string|null}|array{id: string,
 *     event: 'transaction.failed', environment: 'live'|'sandbox', transactionId: string, customerId: string,
 *     occurredAt: string, data: array{reason: string|null}, actor: string, requestId: string|null}|array{id: string,
 *     event: 'transaction.refunded'|'transaction.partially_refunded', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{refundId: string|null,
 *     amountCents: int, refundedAmountCents: int, reason: string|null}, actor: string, requestId: string|null}|
 *     array{id: string, event: 'transaction.code_set', environment: 'live'|'sandbox', transactionId: string,
 *     customerId: string, occurredAt: string, data: array{kind: 'dynamic'|'static', pixCode: string}, actor: string,
 *     requestId: string|null}|array{id: string, event: 'refund.requested', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{refundId: string, amountCents: int,
 *     reason: string|null}, actor: string, requestId: string|null}|array{id: string, event: 'refund.failed',
 *     environment: 'live'|'sandbox', transactionId: string, customerId: string, occurredAt: string,
 *     data: array{refundId: string}, actor: string, requestId: string|null}|array{id: string,
 *     event: 'payment.unapplied', environment: 'live'|'sandbox', transactionId: string, customerId: string,
 *     occurredAt: string, data: array{endToEndId: string, amountCents: int, paidAt: string,
 *     flag: ('PAID_AFTER_EXPIRY'|'PAID_AFTER_CLOSE'|'DUPLICATE_PAYMENT'|'AMOUNT_MISMATCH')}, actor: string,
 *     requestId: string|null}|array{id: string, event: 'payment.returned', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{endToEndId: string,
 *     reason: string|null}, actor: string, requestId: string|null}|array{id: string,
 *     event: 'payment.return_requested'|'payment.return_failed', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{refundId: string,
 *     endToEndId: string, reason: string|null}, actor: string, requestId: string|null}|array{id: string,
 *     event: 'payment.reversed', environment: 'live'|'sandbox', transactionId: string, customerId: string,
 *     occurredAt: string, data: array{endToEndId: string, refundId: string, amountCents: int}, actor: string,
 *     requestId: string|null}|array{id: string, event: 'payment.added', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{endToEndId: string,
 *     amountCents: int, paidAt: string, paidAmountCents: int, feeCents: int|null}, actor: string,
 *     requestId: string|null})
 * @phpstan-type TransactionItem array{id: string, externalId: string, transactionCode: string|null,
 *     status: TransactionStatus, environment: 'live'|'sandbox', amountCents: int, product: string, quantity: int,
 *     paidAt: string|null, paidAmountCents: int|null, feeCents: int|null, netCents: int|null,
 *     refundedAmountCents: int, unappliedAmountCents: int, createdAt: string, updatedAt: string,
 *     metadata: array<string, string>, customer: CustomerSummary, gateway: Connection, domain: Domain|null}
 * @phpstan-type TransactionItemV1 array{id: string, externalId: string, transactionCode: string|null,
 *     status: TransactionStatus, environment: 'live'|'sandbox', amountCents: int, product: string, quantity: int,
 *     paidAt: string|null, paidAmountCents: int|null, feeCents: int|null, netCents: int|null,
 *     refundedAmountCents: int, unappliedAmountCents: int, createdAt: string, updatedAt: string,
 *     metadata: array<string, string>, customer: CustomerSummary, connection: Connection, originDomain: string,
 *     customerEmail: string|null, customerName: string}
 * @phpstan-type TransactionMovedEvent array{id: string, event: ('transaction.processing'|'transaction.expired'|
 *     'transaction.cancelled'|'transaction.cancel_requested'|'transaction.cancel_dropped'),
 *     environment: 'live'|'sandbox', transactionId: string, customerId: string, occurredAt: string,
 *     data: array<string, mixed>}
 * @phpstan-type TransactionPaidEvent array{id: string, event: 'transaction.paid', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{endToEndId: string,
 *     amountCents: int, paidAt: string, feeCents: int|null}}
 * @phpstan-type TransactionRefundedEvent array{id: string,
 *     event: 'transaction.refunded'|'transaction.partially_refunded', environment: 'live'|'sandbox',
 *     transactionId: string, customerId: string, occurredAt: string, data: array{refundId: string|null,
 *     amountCents: int, refundedAmountCents: int, reason: string|null}}
 * @phpstan-type TransactionRefusedEvent array{id: string, event: 'transaction.refused',
 *     environment: 'live'|'sandbox', transactionId: null, customerId: string|null, occurredAt: string,
 *     data: array{fraudType: ('blocked_customer'|'blocklist_ip'|'blocklist_email'|'blocklist_document'),
 *     amountCents: int, product: string}}
 * @phpstan-type TransactionStatus ('waiting_payment'|'processing'|'paid'|'expired'|'cancelled'|'refunded'|'failed')
 * @phpstan-type UnappliedPayment array{endToEndId: string, amountCents: int, paidAt: string, receivedAt: string,
 *     flag: ('PAID_AFTER_EXPIRY'|'PAID_AFTER_CLOSE'|'DUPLICATE_PAYMENT'|'AMOUNT_MISMATCH'), isReturning: bool,
 *     returnedAt: string|null}
 * @phpstan-type UnmatchedPayment array{endToEndId: string, amountCents: int, paidAt: string, recordedAt: string,
 *     environment: 'live'|'sandbox', connectionId: string, txid: string|null, reason: string, state: string}
 * @phpstan-type UpdateChannel array{name?: string|null, url?: string|null,
 *     environments?: list<'live'|'sandbox'>|null, events?: list<WebhookEvent>|null, isActive?: bool|null,
 *     webhookApiVersion?: 'v2'|null}
 * @phpstan-type WebhookEvent ('transaction.created'|'transaction.paid'|'transaction.expired'|'transaction.refunded'|
 *     'transaction.cancelled'|'transaction.failed'|'transaction.partially_refunded'|'payment.unapplied'|
 *     'payment.settled'|'store.changed')
 * @phpstan-type WholeAddressInput array{street: string, streetNumber: string, neighborhood: string,
 *     complement?: string|null, zipCode: string, city: string, state: string, country: string}
 */
final class Types
{
}
