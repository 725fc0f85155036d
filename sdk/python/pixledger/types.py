"""The API's resources, queries and webhooks. Made from its OpenAPI document by scripts/lib/python_types.

Times are ISO 8601 in UTC with milliseconds, money is integer cents, ids are texts. Later releases may add fields, and
values such as the names of events.
"""

from datetime import datetime
from typing import Any, Dict, List, Literal, Optional, Sequence, TypedDict, Union

Environment = Literal["live", "sandbox"]


class ListTransactionsQuery(TypedDict, total=False):
    page: int
    limit: int
    status: Union[str, Sequence[str]]
    customerId: str
    environment: Environment
    originDomain: str
    domain: str
    connectionId: str
    amountMin: int
    amountMax: int
    customerEmail: str
    dateFrom: Union[str, datetime]
    dateTo: Union[str, datetime]
    search: str
    q: str
    externalId: str
    transactionCode: str
    failed: Literal[True]
    unapplied: Literal[True]
    partlyRefunded: Literal[True]
    metadata: Dict[str, str]


TransactionStatus = Literal["waiting_payment", "processing", "paid", "expired", "cancelled", "refunded", "failed"]


class TransactionFields(TypedDict):
    id: str
    externalId: str
    transactionCode: Optional[str]
    status: TransactionStatus
    environment: Environment
    amountCents: int
    product: str
    quantity: int
    paidAt: Optional[str]
    paidAmountCents: Optional[int]
    feeCents: Optional[int]
    netCents: Optional[int]
    refundedAmountCents: int
    unappliedAmountCents: int
    createdAt: str
    updatedAt: str
    metadata: Dict[str, str]


class CustomerSummary(TypedDict):
    id: str
    name: str
    email: Optional[str]


class Connection(TypedDict):
    id: str
    alias: str
    providerId: str
    providerName: str


class TransactionItemV1(TransactionFields):
    customer: CustomerSummary
    connection: Connection
    originDomain: str
    customerEmail: Optional[str]
    customerName: str


class _Meta(TypedDict):
    total: int
    page: int
    limit: int
    totalPages: int


class Meta(_Meta, total=False):
    timezone: str


class ListTransactionsV1Page(TypedDict):
    data: List[TransactionItemV1]
    meta: Meta


class AddressInput(TypedDict, total=False):
    street: Optional[str]
    streetNumber: Optional[str]
    neighborhood: Optional[str]
    complement: Optional[str]
    zipCode: Optional[str]
    city: Optional[str]
    state: Optional[str]
    country: Optional[str]


class _CreateTransactionCustomer(TypedDict):
    name: str
    document: str
    email: str
    phone: str


class CreateTransactionCustomer(_CreateTransactionCustomer, total=False):
    address: Optional[AddressInput]


class _CreateTransactionPayment(TypedDict):
    amountCents: int
    product: str


class CreateTransactionPayment(_CreateTransactionPayment, total=False):
    quantity: Optional[int]
    expirationDays: Optional[int]
    expirationMinutes: Optional[int]


class _CreateTransaction(TypedDict):
    customer: CreateTransactionCustomer
    payment: CreateTransactionPayment
    originDomain: str


class CreateTransaction(_CreateTransaction, total=False):
    customerIp: Optional[str]
    externalId: Optional[str]
    connectionId: Optional[str]
    metadata: Optional[Dict[str, str]]


class CreatedTransaction(TypedDict):
    id: str
    status: Literal["waiting_payment"]
    amountCents: int
    qrCode: str
    pixCode: str
    expirationDate: str
    environment: Environment


class GetTransactionQuery(TypedDict, total=False):
    asOf: Union[str, datetime]


class TransactionCustomer(TypedDict):
    id: str
    name: str
    document: Optional[str]
    email: Optional[str]
    phone: Optional[str]


class UnappliedPayment(TypedDict):
    endToEndId: str
    amountCents: int
    paidAt: str
    receivedAt: str
    flag: Literal["PAID_AFTER_EXPIRY", "PAID_AFTER_CLOSE", "DUPLICATE_PAYMENT", "AMOUNT_MISMATCH"]
    isReturning: bool
    returnedAt: Optional[str]


class AddedPayment(TypedDict):
    endToEndId: str
    amountCents: int
    feeCents: int
    paidAt: str


class _Refund(TypedDict):
    id: str
    amountCents: int
    status: Literal["pending", "done", "failed", "recorded"]
    moved: bool
    origin: Literal["merchant", "bank"]
    requestedAt: str
    settledAt: Optional[str]
    reason: Optional[str]


class Refund(_Refund, total=False):
    endToEndId: str


class _TransactionDetail(TransactionFields):
    pixCode: str
    expirationDate: str
    refundedAt: Optional[str]
    customer: TransactionCustomer
    unappliedPayments: List[UnappliedPayment]
    refundsMoveMoney: bool
    refunds: List[Refund]


class TransactionDetail(_TransactionDetail, total=False):
    addedPayments: List[AddedPayment]


Transaction = TransactionDetail


class GetQrSvgQuery(TypedDict, total=False):
    size: int


class GetQrPngQuery(TypedDict, total=False):
    size: int


class TransactionEvent(TypedDict):
    position: int
    stream: str
    version: int
    type: str
    recordedAt: str
    actor: str
    requestId: Optional[str]
    data: Dict[str, Any]


class ProvenEvent(TypedDict):
    position: int
    leaf: str
    personal: Optional[str]
    proof: List[str]
    event: TransactionEvent


class Receipt(TypedDict):
    transactionId: str
    checkpoint: str
    events: List[ProvenEvent]


class RefundTransaction(TypedDict, total=False):
    amountCents: Optional[int]
    reason: Optional[str]


class ListCustomersQuery(TypedDict, total=False):
    page: int
    limit: int
    environment: Environment
    dateFrom: Union[str, datetime]
    dateTo: Union[str, datetime]
    search: str
    q: str
    document: str
    email: str
    isBlocked: bool


class _CustomerFields(TypedDict):
    id: str
    environment: Environment
    name: str
    document: Optional[str]
    phone: Optional[str]
    email: Optional[str]
    street: Optional[str]
    streetNumber: Optional[str]
    neighborhood: Optional[str]
    complement: Optional[str]
    zipCode: Optional[str]
    city: Optional[str]
    state: Optional[str]
    country: Optional[str]
    metadata: Optional[Dict[str, str]]
    isBlocked: bool
    createdAt: str
    updatedAt: str


class CustomerFields(_CustomerFields, total=False):
    erasedAt: str


Customer = CustomerFields


class ListCustomersV1Page(TypedDict):
    data: List[Customer]
    meta: Meta


class _WholeAddressInput(TypedDict):
    street: str
    streetNumber: str
    neighborhood: str
    zipCode: str
    city: str
    state: str
    country: str


class WholeAddressInput(_WholeAddressInput, total=False):
    complement: Optional[str]


class _SaveCustomer(TypedDict):
    name: str
    document: str
    email: str
    phone: str
    address: WholeAddressInput


class SaveCustomer(_SaveCustomer, total=False):
    environment: Optional[Literal["live", "sandbox"]]
    metadata: Optional[Dict[str, str]]


class RecentTransaction(TypedDict):
    id: str
    amountCents: int
    status: TransactionStatus
    environment: Environment
    product: str
    createdAt: str
    paidAt: Optional[str]
    paidAmountCents: Optional[int]
    feeCents: Optional[int]
    netCents: Optional[int]
    refundedAmountCents: int
    unappliedAmountCents: int


class CustomerDetailFields(TypedDict):
    projectId: str
    blockedAt: Optional[str]
    blockedReason: Optional[str]
    blockExpiresAt: Optional[str]
    blockType: Optional[Literal["manual", "fraud"]]
    recentTransactions: List[RecentTransaction]
    totalTransactions: int


class FraudEvent(TypedDict):
    id: str
    reason: str
    fraudType: Literal["blocked_customer", "blocklist_ip", "blocklist_email", "blocklist_document"]
    amountCents: int
    product: str
    createdAt: str
    customerIp: Optional[str]


class CustomerDetailV1(CustomerFields, CustomerDetailFields):
    fraudEvents: List[FraudEvent]


class _BlockCustomer(TypedDict):
    blockType: Literal["manual", "fraud"]
    reason: str


class BlockCustomer(_BlockCustomer, total=False):
    expiresAt: Optional[Union[str, datetime]]


class ListBlocklistQuery(TypedDict, total=False):
    page: int
    limit: int
    environment: Environment


class BlocklistEntry(TypedDict):
    id: str
    environment: Environment
    type: Optional[Literal["ip", "cidr", "email", "document"]]
    value: Optional[str]
    reason: Optional[str]
    createdAt: str


class ListBlocklistPage(TypedDict):
    data: List[BlocklistEntry]
    meta: Meta


BlocklistType = Literal["ip", "cidr", "email", "document"]


class _AddBlocklistEntry(TypedDict):
    type: BlocklistType
    value: str


class AddBlocklistEntry(_AddBlocklistEntry, total=False):
    reason: Optional[str]
    environment: Optional[Literal["live", "sandbox"]]


class ListChannelsQuery(TypedDict, total=False):
    page: int
    limit: int


WebhookEvent = Literal[
    "transaction.created", "transaction.paid", "transaction.expired", "transaction.refunded", "transaction.cancelled",
    "transaction.failed", "transaction.partially_refunded", "payment.unapplied", "payment.settled", "store.changed",
]


class ChannelHealth(TypedDict):
    status: Optional[Literal["ok", "failing", "disabled"]]
    consecutiveFailures: Optional[int]
    lastSuccessAt: Optional[str]
    lastFailureAt: Optional[str]
    disabledReason: Optional[Literal["gone", "failing"]]


class NotificationChannel(TypedDict):
    id: str
    name: Optional[str]
    url: str
    events: List[WebhookEvent]
    environments: List[Environment]
    isActive: bool
    webhookApiVersion: Literal["v1", "v2"]
    secretHint: str
    health: ChannelHealth
    createdAt: str
    updatedAt: str


class ListChannelsPage(TypedDict):
    data: List[NotificationChannel]
    meta: Meta


class _AddChannel(TypedDict):
    url: str


class AddChannel(_AddChannel, total=False):
    name: Optional[str]
    environments: Optional[List[Environment]]
    events: Optional[List[WebhookEvent]]
    webhookApiVersion: Optional[Literal["v2"]]


class _NotificationChannelWithSecret(TypedDict):
    id: str
    name: Optional[str]
    url: str
    events: List[WebhookEvent]
    environments: List[Environment]
    isActive: bool
    webhookApiVersion: Literal["v1", "v2"]
    secretHint: str
    health: ChannelHealth
    createdAt: str
    updatedAt: str
    secret: str


class NotificationChannelWithSecret(_NotificationChannelWithSecret, total=False):
    graceEndsAt: str


class CatalogueEntry(TypedDict):
    event: WebhookEvent
    description: str
    payloadType: Literal["transaction", "store"]
    extraFields: List[str]


class UpdateChannel(TypedDict, total=False):
    name: Optional[str]
    url: Optional[str]
    environments: Optional[List[Environment]]
    events: Optional[List[WebhookEvent]]
    isActive: Optional[bool]
    webhookApiVersion: Optional[Literal["v2"]]


class RotateSecret(TypedDict, total=False):
    graceSeconds: Optional[int]


class RotateSecretData(TypedDict):
    id: str
    name: Optional[str]
    url: str
    events: List[WebhookEvent]
    environments: List[Environment]
    isActive: bool
    webhookApiVersion: Literal["v1", "v2"]
    secretHint: str
    health: ChannelHealth
    createdAt: str
    updatedAt: str
    secret: str
    graceEndsAt: str


DeliveredEvent = Literal[
    "transaction.created", "transaction.paid", "transaction.expired", "transaction.refunded", "transaction.cancelled",
    "transaction.failed", "transaction.partially_refunded", "payment.unapplied", "payment.settled", "store.changed",
    "webhook.test",
]


class DeliveryFields(TypedDict):
    id: str
    channelId: str
    event: DeliveredEvent
    transactionId: Optional[str]
    externalId: Optional[str]
    environment: Environment
    status: Literal["pending", "delivered", "failed", "exhausted"]
    nextAttemptAt: Optional[str]
    createdAt: str


class AttemptFields(TypedDict):
    number: int
    at: str
    httpStatus: Optional[int]
    latencyMs: int
    error: Optional[str]


DeliveryAttempt = AttemptFields


class Delivery(DeliveryFields):
    attempts: List[DeliveryAttempt]


class _RecoverDeliveries(TypedDict):
    since: Union[str, datetime]


class RecoverDeliveries(_RecoverDeliveries, total=False):
    until: Optional[Union[str, datetime]]
    dryRun: Optional[bool]


class Recovery(TypedDict):
    queued: int
    hastened: int


class ListDeliveriesQuery(TypedDict, total=False):
    status: Literal["pending", "delivered", "failed", "exhausted"]
    transactionId: str
    page: int
    limit: int


class ListDeliveriesPage(TypedDict):
    data: List[Delivery]
    meta: Meta


class ListCheckoutSessionsQuery(TypedDict, total=False):
    page: int
    limit: int
    status: Literal["open", "complete", "expired", "cancelled"]
    externalId: str
    dateFrom: Union[str, datetime]
    dateTo: Union[str, datetime]
    environment: Environment


class CheckoutSessionFieldsPayment(TypedDict):
    amountCents: int
    product: str
    quantity: int
    expirationDays: Optional[int]


class CheckoutSessionFields(TypedDict):
    id: str
    url: str
    status: Literal["open", "complete", "expired", "cancelled"]
    environment: Environment
    transactionId: Optional[str]
    paidTransactionId: Optional[str]
    payment: CheckoutSessionFieldsPayment
    originDomain: str
    externalId: str
    successUrl: Optional[str]
    cancelUrl: Optional[str]
    locale: Optional[Literal["pt-BR", "en"]]
    webhookUrl: Optional[str]
    webhookApiVersion: Literal["v1", "v2"]
    expiresAt: str
    createdAt: str
    updatedAt: str


CheckoutSession = CheckoutSessionFields


class ListCheckoutSessionsPage(TypedDict):
    data: List[CheckoutSession]
    meta: Meta


class _CreateCheckoutSessionPayment(TypedDict):
    amountCents: int
    product: str


class CreateCheckoutSessionPayment(_CreateCheckoutSessionPayment, total=False):
    quantity: Optional[int]
    expirationDays: Optional[int]


class _CreateCheckoutSessionCustomer(TypedDict):
    name: str
    document: str
    email: str
    phone: str


class CreateCheckoutSessionCustomer(_CreateCheckoutSessionCustomer, total=False):
    address: Optional[AddressInput]


class _CreateCheckoutSession(TypedDict):
    payment: CreateCheckoutSessionPayment
    originDomain: str


class CreateCheckoutSession(_CreateCheckoutSession, total=False):
    customer: Optional[CreateCheckoutSessionCustomer]
    externalId: Optional[str]
    metadata: Optional[Dict[str, str]]
    successUrl: Optional[str]
    cancelUrl: Optional[str]
    expiresInMinutes: Optional[int]
    locale: Optional[Literal["pt-BR", "en"]]
    webhookUrl: Optional[str]
    webhookApiVersion: Optional[Literal["v1", "v2"]]


class CheckoutSessionWithSecret(CheckoutSessionFields, total=False):
    webhookSecret: str


class ListCheckoutDeliveriesQuery(TypedDict, total=False):
    status: Literal["pending", "delivered", "failed", "exhausted"]
    transactionId: str
    page: int
    limit: int


class ListCheckoutDeliveriesPage(TypedDict):
    data: List[Delivery]
    meta: Meta


class ListEventsQuery(TypedDict, total=False):
    after: str
    types: Union[str, Sequence[str]]
    limit: int
    wait: int


class _TransactionCreatedEventData(TypedDict):
    environment: Literal["live", "sandbox"]
    externalId: str
    amountCents: int
    product: str
    quantity: int
    originDomain: str
    connectionId: str
    expirationDate: str
    pixCode: str
    metadata: Dict[str, str]


class TransactionCreatedEventData(_TransactionCreatedEventData, total=False):
    checkoutSessionId: str


class TransactionCreatedEvent(TypedDict):
    id: str
    event: Literal["transaction.created"]
    environment: Environment
    transactionId: str
    customerId: str
    occurredAt: str
    data: TransactionCreatedEventData


class TransactionPaidEventData(TypedDict):
    endToEndId: str
    amountCents: int
    paidAt: str
    feeCents: Optional[int]


class TransactionPaidEvent(TypedDict):
    id: str
    event: Literal["transaction.paid"]
    environment: Environment
    transactionId: str
    customerId: str
    occurredAt: str
    data: TransactionPaidEventData


class TransactionMovedEvent(TypedDict):
    id: str
    event: Literal[
        "transaction.processing", "transaction.expired", "transaction.cancelled", "transaction.cancel_requested",
        "transaction.cancel_dropped",
    ]
    environment: Environment
    transactionId: str
    customerId: str
    occurredAt: str
    data: Dict[str, Any]


class TransactionFailedEventData(TypedDict):
    reason: Optional[str]


class TransactionFailedEvent(TypedDict):
    id: str
    event: Literal["transaction.failed"]
    environment: Environment
    transactionId: str
    customerId: str
    occurredAt: str
    data: TransactionFailedEventData


class TransactionRefundedEventData(TypedDict):
    refundId: Optional[str]
    amountCents: int
    refundedAmountCents: int
    reason: Optional[str]


class TransactionRefundedEvent(TypedDict):
    id: str
    event: Literal["transaction.refunded", "transaction.partially_refunded"]
    environment: Environment
    transactionId: str
    customerId: str
    occurredAt: str
    data: TransactionRefundedEventData


class TransactionCodeSetEventData(TypedDict):
    kind: Literal["dynamic", "static"]
    pixCode: str


class TransactionCodeSetEvent(TypedDict):
    id: str
    event: Literal["transaction.code_set"]
    environment: Environment
    transactionId: str
    customerId: str
    occurredAt: str
    data: TransactionCodeSetEventData


class RefundRequestedEventData(TypedDict):
    refundId: str
    amountCents: int
    reason: Optional[str]


class RefundRequestedEvent(TypedDict):
    id: str
    event: Literal["refund.requested"]
    environment: Environment
    transactionId: str
    customerId: str
    occurredAt: str
    data: RefundRequestedEventData


class RefundFailedEventData(TypedDict):
    refundId: str


class RefundFailedEvent(TypedDict):
    id: str
    event: Literal["refund.failed"]
    environment: Environment
    transactionId: str
    customerId: str
    occurredAt: str
    data: RefundFailedEventData


class TransactionRefusedEventData(TypedDict):
    fraudType: Literal["blocked_customer", "blocklist_ip", "blocklist_email", "blocklist_document"]
    amountCents: int
    product: str


class TransactionRefusedEvent(TypedDict):
    id: str
    event: Literal["transaction.refused"]
    environment: Environment
    transactionId: None
    customerId: Optional[str]
    occurredAt: str
    data: TransactionRefusedEventData


class PaymentUnappliedEventData(TypedDict):
    endToEndId: str
    amountCents: int
    paidAt: str
    flag: Literal["PAID_AFTER_EXPIRY", "PAID_AFTER_CLOSE", "DUPLICATE_PAYMENT", "AMOUNT_MISMATCH"]


class PaymentUnappliedEvent(TypedDict):
    id: str
    event: Literal["payment.unapplied"]
    environment: Environment
    transactionId: str
    customerId: str
    occurredAt: str
    data: PaymentUnappliedEventData


class PaymentReturnedEventData(TypedDict):
    endToEndId: str
    reason: Optional[str]


class PaymentReturnedEvent(TypedDict):
    id: str
    event: Literal["payment.returned"]
    environment: Environment
    transactionId: str
    customerId: str
    occurredAt: str
    data: PaymentReturnedEventData


class PaymentReturnEventData(TypedDict):
    refundId: str
    endToEndId: str
    reason: Optional[str]


class PaymentReturnEvent(TypedDict):
    id: str
    event: Literal["payment.return_requested", "payment.return_failed"]
    environment: Environment
    transactionId: str
    customerId: str
    occurredAt: str
    data: PaymentReturnEventData


class PaymentReversedEventData(TypedDict):
    endToEndId: str
    refundId: str
    amountCents: int


class PaymentReversedEvent(TypedDict):
    id: str
    event: Literal["payment.reversed"]
    environment: Environment
    transactionId: str
    customerId: str
    occurredAt: str
    data: PaymentReversedEventData


class PaymentAddedEventData(TypedDict):
    endToEndId: str
    amountCents: int
    paidAt: str
    paidAmountCents: int
    feeCents: Optional[int]


class PaymentAddedEvent(TypedDict):
    id: str
    event: Literal["payment.added"]
    environment: Environment
    transactionId: str
    customerId: str
    occurredAt: str
    data: PaymentAddedEventData


class CustomerSavedEventData(TypedDict):
    name: Optional[str]
    document: Optional[str]
    email: Optional[str]
    phone: Optional[str]
    street: Optional[str]
    streetNumber: Optional[str]
    neighborhood: Optional[str]
    complement: Optional[str]
    zipCode: Optional[str]
    city: Optional[str]
    state: Optional[str]
    country: Optional[str]
    metadata: Optional[Dict[str, str]]


class CustomerSavedEvent(TypedDict):
    id: str
    event: Literal["customer.created", "customer.updated"]
    environment: Environment
    transactionId: None
    customerId: str
    occurredAt: str
    data: CustomerSavedEventData


class CustomerBlockedEventData(TypedDict):
    blockType: Literal["manual", "fraud"]
    reason: Optional[str]
    blockExpiresAt: Optional[str]


class CustomerBlockedEvent(TypedDict):
    id: str
    event: Literal["customer.blocked"]
    environment: Environment
    transactionId: None
    customerId: str
    occurredAt: str
    data: CustomerBlockedEventData


class CustomerUnblockedEvent(TypedDict):
    id: str
    event: Literal["customer.unblocked"]
    environment: Environment
    transactionId: None
    customerId: str
    occurredAt: str
    data: Dict[str, Any]


class CustomerErasedEvent(TypedDict):
    id: str
    event: Literal["customer.erased"]
    environment: Environment
    transactionId: None
    customerId: str
    occurredAt: str
    data: Dict[str, Any]


class BlocklistAddedEventData(TypedDict):
    entryId: str
    type: Optional[Literal["ip", "cidr", "email", "document"]]
    value: Optional[str]
    reason: Optional[str]


class BlocklistAddedEvent(TypedDict):
    id: str
    event: Literal["blocklist.added"]
    environment: Environment
    transactionId: None
    customerId: None
    occurredAt: str
    data: BlocklistAddedEventData


class BlocklistRemovedEventData(TypedDict):
    entryId: str


class BlocklistRemovedEvent(TypedDict):
    id: str
    event: Literal["blocklist.removed"]
    environment: Environment
    transactionId: None
    customerId: None
    occurredAt: str
    data: BlocklistRemovedEventData


class _ChannelAddedEventData(TypedDict):
    channelId: str
    name: Optional[str]
    url: str
    events: str
    webhookApiVersion: Literal["v1", "v2"]
    environments: Optional[Literal["live", "sandbox", "live,sandbox"]]


class ChannelAddedEventData(_ChannelAddedEventData, total=False):
    checkoutSessionId: str


class ChannelAddedEvent(TypedDict):
    id: str
    event: Literal["channel.added"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: ChannelAddedEventData


class ChannelChangedEventData(TypedDict):
    channelId: str
    name: Optional[str]
    url: str
    events: str
    webhookApiVersion: Literal["v1", "v2"]
    isActive: bool
    environments: Optional[Literal["live", "sandbox", "live,sandbox"]]


class ChannelChangedEvent(TypedDict):
    id: str
    event: Literal["channel.changed"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: ChannelChangedEventData


class ChannelDeletedEventData(TypedDict):
    channelId: str


class ChannelDeletedEvent(TypedDict):
    id: str
    event: Literal["channel.deleted"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: ChannelDeletedEventData


class ChannelSecretRotatedEventData(TypedDict):
    channelId: str
    graceEndsAt: str


class ChannelSecretRotatedEvent(TypedDict):
    id: str
    event: Literal["channel.secret_rotated"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: ChannelSecretRotatedEventData


class ChannelDisabledEventData(TypedDict):
    channelId: str
    reason: Literal["gone", "failing"]


class ChannelDisabledEvent(TypedDict):
    id: str
    event: Literal["channel.disabled"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: ChannelDisabledEventData


class ChannelTestRequestedEventData(TypedDict):
    channelId: str
    deliveryId: str
    environment: Literal["live", "sandbox"]


class ChannelTestRequestedEvent(TypedDict):
    id: str
    event: Literal["channel.test_requested"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: ChannelTestRequestedEventData


class RedeliveryRequestedEventData(TypedDict):
    channelId: str
    deliveryId: str


class RedeliveryRequestedEvent(TypedDict):
    id: str
    event: Literal["channel.redelivery_requested"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: RedeliveryRequestedEventData


class RecoveryRequestedEventData(TypedDict):
    channelId: str
    since: str
    until: str
    queued: int
    hastened: int


class RecoveryRequestedEvent(TypedDict):
    id: str
    event: Literal["channel.recovery_requested"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: RecoveryRequestedEventData


class KeyIssuedEventData(TypedDict):
    keyId: str
    environment: Literal["live", "sandbox"]
    scopes: str
    sandboxOnly: bool
    expiresAt: Optional[str]


class KeyIssuedEvent(TypedDict):
    id: str
    event: Literal["api_key.issued"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: KeyIssuedEventData


class KeyExpirySetEventData(TypedDict):
    keyId: str
    expiresAt: str


class KeyExpirySetEvent(TypedDict):
    id: str
    event: Literal["api_key.expiry_set"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: KeyExpirySetEventData


class KeyRevokedEventData(TypedDict):
    keyId: str


class KeyRevokedEvent(TypedDict):
    id: str
    event: Literal["api_key.revoked"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: KeyRevokedEventData


class StoreCreatedEventData(TypedDict):
    name: str
    devMode: bool
    pixExpirationMinutes: int
    maxTransactionAmountCents: int


class StoreCreatedEvent(TypedDict):
    id: str
    event: Literal["store.created"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: StoreCreatedEventData


class StoreSettings(TypedDict):
    name: str
    pixKey: Optional[str]
    merchantName: str
    merchantCity: str
    maxTransactionAmountCents: int
    pixExpirationMinutes: int
    verifyDocuments: bool
    feeFixedCents: int
    feeBasisPoints: int
    devMode: bool
    contact: Optional[str]


class StoreSettingsThen(StoreSettings, total=False):
    timezone: str
    logo: str
    color: str
    embedOrigins: str
    payerProofs: bool


class StoreChangedEventData(TypedDict):
    name: str
    devMode: bool
    pixExpirationMinutes: int
    maxTransactionAmountCents: int
    changed: List[str]
    before: StoreSettingsThen
    after: StoreSettingsThen


class StoreChangedEvent(TypedDict):
    id: str
    event: Literal["store.changed"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: StoreChangedEventData


class ConnectionAddedEventData(TypedDict):
    connectionId: str
    alias: str
    providerId: str
    providerName: str
    environment: Literal["live", "sandbox"]


class ConnectionAddedEvent(TypedDict):
    id: str
    event: Literal["connection.added"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: ConnectionAddedEventData


class ConnectionChangedEventData(TypedDict):
    connectionId: str
    alias: str
    providerId: str
    providerName: str
    environment: Literal["live", "sandbox"]
    isEnabled: bool


class ConnectionChangedEvent(TypedDict):
    id: str
    event: Literal["connection.changed"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: ConnectionChangedEventData


class DefaultConnectionSetEventData(TypedDict):
    connectionId: str
    environment: Literal["live", "sandbox"]


class DefaultConnectionSetEvent(TypedDict):
    id: str
    event: Literal["connection.default_set"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: DefaultConnectionSetEventData


class BankConnectionEventData(TypedDict):
    connectionId: str


class BankConnectionEvent(TypedDict):
    id: str
    event: Literal["connection.configured", "connection.callback_registered", "connection.callback_removed"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: BankConnectionEventData


class CheckoutCreatedEventData(TypedDict):
    checkoutSessionId: str
    amountCents: int
    product: str
    quantity: int
    expirationDays: Optional[int]
    originDomain: str
    externalId: Optional[str]
    successUrl: Optional[str]
    cancelUrl: Optional[str]
    locale: Optional[Literal["pt-BR", "en"]]
    webhookApiVersion: Literal["v1", "v2"]
    expiresAt: str
    metadata: Dict[str, str]


class CheckoutCreatedEvent(TypedDict):
    id: str
    event: Literal["checkout.created"]
    environment: Environment
    transactionId: None
    customerId: None
    occurredAt: str
    data: CheckoutCreatedEventData


class CheckoutTransactionAddedEventData(TypedDict):
    checkoutSessionId: str
    transactionId: str
    customerId: str


class CheckoutTransactionAddedEvent(TypedDict):
    id: str
    event: Literal["checkout.transaction_added"]
    environment: Environment
    transactionId: None
    customerId: None
    occurredAt: str
    data: CheckoutTransactionAddedEventData


class CheckoutCompletedEventData(TypedDict):
    checkoutSessionId: str
    transactionId: str


class CheckoutCompletedEvent(TypedDict):
    id: str
    event: Literal["checkout.completed"]
    environment: Environment
    transactionId: None
    customerId: None
    occurredAt: str
    data: CheckoutCompletedEventData


class CheckoutEndedEventData(TypedDict):
    checkoutSessionId: str


class CheckoutEndedEvent(TypedDict):
    id: str
    event: Literal["checkout.cancelled", "checkout.expired"]
    environment: Environment
    transactionId: None
    customerId: None
    occurredAt: str
    data: CheckoutEndedEventData


class MemberRoleEventData(TypedDict):
    userId: str
    role: Literal["owner", "operator", "viewer"]


class MemberRoleEvent(TypedDict):
    id: str
    event: Literal["member.added", "member.role_changed"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: MemberRoleEventData


class MemberEventData(TypedDict):
    userId: str


class MemberEvent(TypedDict):
    id: str
    event: Literal["member.removed", "member.invited"]
    environment: None
    transactionId: None
    customerId: None
    occurredAt: str
    data: MemberEventData


Event = Union[
    TransactionCreatedEvent, TransactionPaidEvent, TransactionMovedEvent, TransactionFailedEvent,
    TransactionRefundedEvent, TransactionCodeSetEvent, RefundRequestedEvent, RefundFailedEvent,
    TransactionRefusedEvent, PaymentUnappliedEvent, PaymentReturnedEvent, PaymentReturnEvent, PaymentReversedEvent,
    PaymentAddedEvent, CustomerSavedEvent, CustomerBlockedEvent, CustomerUnblockedEvent, CustomerErasedEvent,
    BlocklistAddedEvent, BlocklistRemovedEvent, ChannelAddedEvent, ChannelChangedEvent, ChannelDeletedEvent,
    ChannelSecretRotatedEvent, ChannelDisabledEvent, ChannelTestRequestedEvent, RedeliveryRequestedEvent,
    RecoveryRequestedEvent, KeyIssuedEvent, KeyExpirySetEvent, KeyRevokedEvent, StoreCreatedEvent, StoreChangedEvent,
    ConnectionAddedEvent, ConnectionChangedEvent, DefaultConnectionSetEvent, BankConnectionEvent,
    CheckoutCreatedEvent, CheckoutTransactionAddedEvent, CheckoutCompletedEvent, CheckoutEndedEvent, MemberRoleEvent,
    MemberEvent,
]


class EventsMeta(TypedDict):
    next: str


class ListEventsPage(TypedDict):
    data: List[Event]
    meta: EventsMeta


class Store(StoreSettings):
    id: str
    timezone: str
    logo: Optional[str]
    color: Optional[str]
    supportContact: Optional[str]
    embedOrigins: List[str]
    payerProofs: bool
    returnPublicKey: str


class ChangeStore(TypedDict, total=False):
    name: Optional[str]
    pixExpirationMinutes: Optional[int]
    maxTransactionAmountCents: Optional[int]
    timezone: Optional[str]
    logo: Optional[str]
    color: Optional[str]
    supportContact: Optional[str]
    embedOrigins: Optional[List[str]]
    payerProofs: Optional[bool]


class ListTransactionEventsQuery(TypedDict, total=False):
    after: str
    limit: int


class EventCause(TypedDict):
    actor: str
    requestId: Optional[str]


class TransactionCreatedEventAndEventCause(TransactionCreatedEvent, EventCause):
    pass


class TransactionPaidEventAndEventCause(TransactionPaidEvent, EventCause):
    pass


class TransactionMovedEventAndEventCause(TransactionMovedEvent, EventCause):
    pass


class TransactionFailedEventAndEventCause(TransactionFailedEvent, EventCause):
    pass


class TransactionRefundedEventAndEventCause(TransactionRefundedEvent, EventCause):
    pass


class TransactionCodeSetEventAndEventCause(TransactionCodeSetEvent, EventCause):
    pass


class RefundRequestedEventAndEventCause(RefundRequestedEvent, EventCause):
    pass


class RefundFailedEventAndEventCause(RefundFailedEvent, EventCause):
    pass


class PaymentUnappliedEventAndEventCause(PaymentUnappliedEvent, EventCause):
    pass


class PaymentReturnedEventAndEventCause(PaymentReturnedEvent, EventCause):
    pass


class PaymentReturnEventAndEventCause(PaymentReturnEvent, EventCause):
    pass


class PaymentReversedEventAndEventCause(PaymentReversedEvent, EventCause):
    pass


class PaymentAddedEventAndEventCause(PaymentAddedEvent, EventCause):
    pass


TransactionHistoryEvent = Union[
    TransactionCreatedEventAndEventCause, TransactionPaidEventAndEventCause, TransactionMovedEventAndEventCause,
    TransactionFailedEventAndEventCause, TransactionRefundedEventAndEventCause, TransactionCodeSetEventAndEventCause,
    RefundRequestedEventAndEventCause, RefundFailedEventAndEventCause, PaymentUnappliedEventAndEventCause,
    PaymentReturnedEventAndEventCause, PaymentReturnEventAndEventCause, PaymentReversedEventAndEventCause,
    PaymentAddedEventAndEventCause,
]


class ListTransactionEventsPage(TypedDict):
    data: List[TransactionHistoryEvent]
    meta: EventsMeta


class SearchQuery(TypedDict):
    q: str


class UnmatchedPayment(TypedDict):
    endToEndId: str
    amountCents: int
    paidAt: str
    recordedAt: str
    environment: Environment
    connectionId: str
    txid: Optional[str]
    reason: str
    state: str


class Found(TypedDict):
    transactions: List[TransactionItemV1]
    customers: List[Customer]
    payments: List[UnmatchedPayment]


GetStatsQuery = TypedDict("GetStatsQuery", {
    "from": str, "to": str, "timezone": str, "environment": Environment,
}, total=False)


class ChargeSums(TypedDict):
    created: int
    createdCents: int
    converted: int
    paid: int
    paidCents: int
    refundedCents: int
    timeToPayP50Seconds: Optional[int]
    timeToPayP90Seconds: Optional[int]


class StatsDay(ChargeSums):
    day: str


class StatsTotals(ChargeSums):
    conversion: Optional[float]
    unappliedCount: int
    unappliedCents: int
    unmatchedCount: int
    unmatchedCents: int
    failingChannels: int
    activeChannels: int
    untriedChannels: int


class Stats(TypedDict):
    days: List[StatsDay]
    totals: StatsTotals


class DaysMeta(TypedDict):
    timezone: str


class ListedConnection(TypedDict):
    id: str
    alias: str
    providerId: str
    providerName: str
    environment: Environment
    isDefault: bool
    isEnabled: bool
    state: Literal["ok", "behind", "left_alone", "unknown", None]
    lastPollAt: Optional[str]
    certificateEndsAt: Optional[str]
    breakerOpen: Optional[bool]


class ListFailedRequestsQuery(TypedDict, total=False):
    code: str
    field: str
    limit: int


class FailedRequestGroup(TypedDict):
    code: str
    field: Optional[str]
    status: int
    count: int
    lastAt: str
    method: str
    route: str
    environment: Environment


class FailedRequest(TypedDict):
    at: str
    method: str
    route: str
    status: int
    code: str
    fields: List[str]
    requestId: str
    keyId: Optional[str]
    userId: Optional[str]
    environment: Environment


class FailedRequests(TypedDict):
    groups: List[FailedRequestGroup]
    recent: List[FailedRequest]


ExportTableQuery = TypedDict("ExportTableQuery", {
    "format": Literal["csv", "csv-br", "xlsx", "jsonl"], "language": Literal["pt", "en"], "by": Literal["recorded",
    "paid"], "environment": Environment, "from": str, "to": str, "timezone": str,
}, total=False)


class ChannelStatsHours(TypedDict):
    hour: str
    delivered: int
    failed: int


class ChannelStatsErrors(TypedDict):
    error: str
    count: int


class ChannelStats(TypedDict):
    hours: List[ChannelStatsHours]
    delivered: int
    failed: int
    pending: int
    latencyP50Ms: Optional[int]
    latencyP95Ms: Optional[int]
    errors: List[ChannelStatsErrors]
    completeSince: str


class PreviewChannelQuery(TypedDict, total=False):
    event: WebhookEvent
    webhookApiVersion: Literal["v2"]


class SentText(TypedDict):
    headers: Dict[str, str]
    body: Optional[str]


PreviewedWebhook = SentText


class ChannelPreview(TypedDict):
    event: DeliveredEvent
    isSample: bool
    v1: Optional[PreviewedWebhook]
    v2: PreviewedWebhook


class AnsweredAttempt(AttemptFields):
    response: Optional[str]


class SentRequest(SentText):
    url: str
    webhookApiVersion: Literal["v1", "v2"]
    attempt: int


class DeliveryDetail(DeliveryFields):
    attempts: List[AnsweredAttempt]
    request: SentRequest


class Checkpoint(TypedDict):
    origin: str
    size: int
    rootHash: str
    checkpoint: str


_GetConsistencyQuery = TypedDict("_GetConsistencyQuery", {"from": int})


class GetConsistencyQuery(_GetConsistencyQuery, total=False):
    to: int
Consistency = TypedDict("Consistency", {"from": int, "to": int, "proof": List[str], "checkpoint": str})


class Domain(TypedDict):
    id: str
    host: str


class TransactionItem(TransactionFields):
    customer: CustomerSummary
    gateway: Connection
    domain: Optional[Domain]


class ListTransactionsPage(TypedDict):
    data: List[TransactionItem]
    meta: Meta


class ListCustomersPage(TypedDict):
    data: List[Customer]
    meta: Meta


class CustomerDetail(CustomerFields, CustomerDetailFields):
    pass


class PaidSimulation(TypedDict):
    transactionId: str
    status: Literal["paid"]
    paidAt: str


class ExpiredSimulation(TypedDict):
    transactionId: str
    status: Literal["expired"]
    expiredAt: str


class FailedSimulation(TypedDict):
    transactionId: str
    status: Literal["failed"]
    failedAt: str


class Alive(TypedDict):
    status: Literal["ok"]


class Ready(TypedDict):
    status: Literal["ready"]


class WebhookCustomerAddress(TypedDict):
    street: Optional[str]
    streetNumber: Optional[str]
    neighborhood: Optional[str]
    complement: Optional[str]
    zipCode: Optional[str]
    city: Optional[str]
    state: Optional[str]
    country: Optional[str]


class WebhookCustomer(TypedDict):
    name: str
    email: Optional[str]
    phone: Optional[str]
    document: Optional[str]
    documentType: Optional[Literal["CPF", "CNPJ"]]
    address: WebhookCustomerAddress


class _TransactionCreatedWebhookData(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amountCents: int
    customerName: str
    isSandbox: bool
    createdAt: str
    pixCode: str
    expirationDate: str
    customer: WebhookCustomer
    originDomain: str
    eventId: str
    environment: Literal["live", "sandbox"]
    status: TransactionStatus
    paidAt: Optional[str]
    paidAmountCents: Optional[int]
    refundedAmountCents: int
    endToEndId: Optional[str]
    metadata: Dict[str, str]


class TransactionCreatedWebhookData(_TransactionCreatedWebhookData, total=False):
    checkoutSessionId: str


class WebhookDelivery(TypedDict):
    id: Optional[str]
    attempt: Optional[int]
    sequence: Optional[int]
    version: Literal["v1", "v2", "standard"]
    signedAt: Optional[str]


class TransactionCreatedWebhook(TypedDict):
    event: Literal["transaction.created"]
    apiVersion: Literal["v2"]
    type: Literal["transaction"]
    title: str
    message: str
    data: TransactionCreatedWebhookData
    timestamp: str
    delivery: WebhookDelivery


class TransactionCreatedWebhookV1Data(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amount: float
    customerName: str
    isSandbox: bool
    createdAt: str
    pixCode: str
    expirationDate: str
    customer: WebhookCustomer
    originDomain: str


class TransactionCreatedWebhookV1(TypedDict):
    event: Literal["transaction.created"]
    type: Literal["transaction"]
    title: str
    message: str
    data: TransactionCreatedWebhookV1Data
    timestamp: str
    delivery: WebhookDelivery


class TransactionPaidWebhookDataFee(TypedDict):
    amount: float
    amountCents: int


class _TransactionPaidWebhookData(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amountCents: int
    customerName: str
    isSandbox: bool
    createdAt: str
    customer: WebhookCustomer
    originDomain: str
    eventId: str
    environment: Literal["live", "sandbox"]
    status: TransactionStatus
    paidAt: Optional[str]
    paidAmountCents: Optional[int]
    refundedAmountCents: int
    endToEndId: Optional[str]
    metadata: Dict[str, str]


class TransactionPaidWebhookData(_TransactionPaidWebhookData, total=False):
    fee: TransactionPaidWebhookDataFee
    checkoutSessionId: str


class TransactionPaidWebhook(TypedDict):
    event: Literal["transaction.paid"]
    apiVersion: Literal["v2"]
    type: Literal["transaction"]
    title: str
    message: str
    data: TransactionPaidWebhookData
    timestamp: str
    delivery: WebhookDelivery


class TransactionPaidWebhookV1DataFee(TypedDict):
    amount: float


class _TransactionPaidWebhookV1Data(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amount: float
    customerName: str
    isSandbox: bool
    createdAt: str
    customer: WebhookCustomer
    originDomain: str


class TransactionPaidWebhookV1Data(_TransactionPaidWebhookV1Data, total=False):
    fee: TransactionPaidWebhookV1DataFee


class TransactionPaidWebhookV1(TypedDict):
    event: Literal["transaction.paid"]
    type: Literal["transaction"]
    title: str
    message: str
    data: TransactionPaidWebhookV1Data
    timestamp: str
    delivery: WebhookDelivery


class _TransactionExpiredWebhookData(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amountCents: int
    customerName: str
    isSandbox: bool
    createdAt: str
    customer: WebhookCustomer
    originDomain: str
    eventId: str
    environment: Literal["live", "sandbox"]
    status: TransactionStatus
    paidAt: Optional[str]
    paidAmountCents: Optional[int]
    refundedAmountCents: int
    endToEndId: Optional[str]
    metadata: Dict[str, str]


class TransactionExpiredWebhookData(_TransactionExpiredWebhookData, total=False):
    checkoutSessionId: str


class TransactionExpiredWebhook(TypedDict):
    event: Literal["transaction.expired"]
    apiVersion: Literal["v2"]
    type: Literal["transaction"]
    title: str
    message: str
    data: TransactionExpiredWebhookData
    timestamp: str
    delivery: WebhookDelivery


class TransactionExpiredWebhookV1Data(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amount: float
    customerName: str
    isSandbox: bool
    createdAt: str
    customer: WebhookCustomer
    originDomain: str


class TransactionExpiredWebhookV1(TypedDict):
    event: Literal["transaction.expired"]
    type: Literal["transaction"]
    title: str
    message: str
    data: TransactionExpiredWebhookV1Data
    timestamp: str
    delivery: WebhookDelivery


class _TransactionRefundedWebhookData(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amountCents: int
    customerName: str
    isSandbox: bool
    createdAt: str
    customer: WebhookCustomer
    originDomain: str
    eventId: str
    environment: Literal["live", "sandbox"]
    status: TransactionStatus
    paidAt: Optional[str]
    paidAmountCents: Optional[int]
    refundedAmountCents: int
    endToEndId: Optional[str]
    metadata: Dict[str, str]
    refundAmountCents: int


class TransactionRefundedWebhookData(_TransactionRefundedWebhookData, total=False):
    checkoutSessionId: str


class TransactionRefundedWebhook(TypedDict):
    event: Literal["transaction.refunded"]
    apiVersion: Literal["v2"]
    type: Literal["transaction"]
    title: str
    message: str
    data: TransactionRefundedWebhookData
    timestamp: str
    delivery: WebhookDelivery


class TransactionRefundedWebhookV1Data(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amount: float
    customerName: str
    isSandbox: bool
    createdAt: str
    customer: WebhookCustomer
    originDomain: str


class TransactionRefundedWebhookV1(TypedDict):
    event: Literal["transaction.refunded"]
    type: Literal["transaction"]
    title: str
    message: str
    data: TransactionRefundedWebhookV1Data
    timestamp: str
    delivery: WebhookDelivery


class _TransactionCancelledWebhookData(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amountCents: int
    customerName: str
    isSandbox: bool
    createdAt: str
    customer: WebhookCustomer
    originDomain: str
    eventId: str
    environment: Literal["live", "sandbox"]
    status: TransactionStatus
    paidAt: Optional[str]
    paidAmountCents: Optional[int]
    refundedAmountCents: int
    endToEndId: Optional[str]
    metadata: Dict[str, str]


class TransactionCancelledWebhookData(_TransactionCancelledWebhookData, total=False):
    checkoutSessionId: str


class TransactionCancelledWebhook(TypedDict):
    event: Literal["transaction.cancelled"]
    apiVersion: Literal["v2"]
    type: Literal["transaction"]
    title: str
    message: str
    data: TransactionCancelledWebhookData
    timestamp: str
    delivery: WebhookDelivery


class TransactionCancelledWebhookV1Data(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amount: float
    customerName: str
    isSandbox: bool
    createdAt: str
    customer: WebhookCustomer
    originDomain: str


class TransactionCancelledWebhookV1(TypedDict):
    event: Literal["transaction.cancelled"]
    type: Literal["transaction"]
    title: str
    message: str
    data: TransactionCancelledWebhookV1Data
    timestamp: str
    delivery: WebhookDelivery


class _TransactionFailedWebhookData(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amountCents: int
    customerName: str
    isSandbox: bool
    createdAt: str
    customer: WebhookCustomer
    originDomain: str
    eventId: str
    environment: Literal["live", "sandbox"]
    status: TransactionStatus
    paidAt: Optional[str]
    paidAmountCents: Optional[int]
    refundedAmountCents: int
    endToEndId: Optional[str]
    metadata: Dict[str, str]


class TransactionFailedWebhookData(_TransactionFailedWebhookData, total=False):
    checkoutSessionId: str


class TransactionFailedWebhook(TypedDict):
    event: Literal["transaction.failed"]
    apiVersion: Literal["v2"]
    type: Literal["transaction"]
    title: Literal["transaction_failed"]
    message: Literal["transaction_failed"]
    data: TransactionFailedWebhookData
    timestamp: str
    delivery: WebhookDelivery


class TransactionFailedWebhookV1Data(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amount: float
    customerName: str
    isSandbox: bool
    createdAt: str
    customer: WebhookCustomer
    originDomain: str


class TransactionFailedWebhookV1(TypedDict):
    event: Literal["transaction.failed"]
    type: Literal["transaction"]
    title: Literal["transaction_failed"]
    message: Literal["transaction_failed"]
    data: TransactionFailedWebhookV1Data
    timestamp: str
    delivery: WebhookDelivery


class _TransactionPartiallyRefundedWebhookData(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amountCents: int
    customerName: str
    isSandbox: bool
    createdAt: str
    customer: WebhookCustomer
    originDomain: str
    eventId: str
    environment: Literal["live", "sandbox"]
    status: TransactionStatus
    paidAt: Optional[str]
    paidAmountCents: Optional[int]
    refundedAmountCents: int
    endToEndId: Optional[str]
    metadata: Dict[str, str]
    refundAmountCents: int


class TransactionPartiallyRefundedWebhookData(_TransactionPartiallyRefundedWebhookData, total=False):
    checkoutSessionId: str


class TransactionPartiallyRefundedWebhook(TypedDict):
    event: Literal["transaction.partially_refunded"]
    apiVersion: Literal["v2"]
    type: Literal["transaction"]
    title: str
    message: str
    data: TransactionPartiallyRefundedWebhookData
    timestamp: str
    delivery: WebhookDelivery


class WebhookPayment(TypedDict):
    endToEndId: str
    amountCents: int
    paidAt: str
    receivedAt: str
    flag: Literal["PAID_AFTER_EXPIRY", "PAID_AFTER_CLOSE", "DUPLICATE_PAYMENT", "AMOUNT_MISMATCH"]


class _PaymentUnappliedWebhookData(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amountCents: int
    customerName: str
    isSandbox: bool
    createdAt: str
    customer: WebhookCustomer
    originDomain: str
    eventId: str
    environment: Literal["live", "sandbox"]
    status: TransactionStatus
    paidAt: Optional[str]
    paidAmountCents: Optional[int]
    refundedAmountCents: int
    endToEndId: Optional[str]
    metadata: Dict[str, str]
    payment: WebhookPayment


class PaymentUnappliedWebhookData(_PaymentUnappliedWebhookData, total=False):
    checkoutSessionId: str


class PaymentUnappliedWebhook(TypedDict):
    event: Literal["payment.unapplied"]
    apiVersion: Literal["v2"]
    type: Literal["transaction"]
    title: str
    message: str
    data: PaymentUnappliedWebhookData
    timestamp: str
    delivery: WebhookDelivery


class _PaymentSettledWebhookData(TypedDict):
    transactionId: str
    externalId: str
    product: str
    amountCents: int
    customerName: str
    isSandbox: bool
    createdAt: str
    customer: WebhookCustomer
    originDomain: str
    eventId: str
    environment: Literal["live", "sandbox"]
    status: TransactionStatus
    paidAt: Optional[str]
    paidAmountCents: Optional[int]
    refundedAmountCents: int
    endToEndId: Optional[str]
    metadata: Dict[str, str]
    payment: WebhookPayment
    settlement: Literal["accepted", "returned"]


class PaymentSettledWebhookData(_PaymentSettledWebhookData, total=False):
    checkoutSessionId: str


class PaymentSettledWebhook(TypedDict):
    event: Literal["payment.settled"]
    apiVersion: Literal["v2"]
    type: Literal["transaction"]
    title: str
    message: str
    data: PaymentSettledWebhookData
    timestamp: str
    delivery: WebhookDelivery


class StoreChangedWebhookData(TypedDict):
    storeId: str
    eventId: str
    changed: List[str]
    before: StoreSettings
    after: StoreSettings


class StoreChangedWebhook(TypedDict):
    event: Literal["store.changed"]
    apiVersion: Literal["v2"]
    type: Literal["store"]
    title: str
    message: str
    data: StoreChangedWebhookData
    timestamp: str
    delivery: WebhookDelivery


class TestWebhookData(TypedDict):
    channelId: str
    isSandbox: bool
    createdAt: str
    eventId: str
    environment: Literal["live", "sandbox"]


class TestWebhook(TypedDict):
    event: Literal["webhook.test"]
    apiVersion: Literal["v2"]
    type: Literal["webhook"]
    title: str
    message: str
    data: TestWebhookData
    timestamp: str
    delivery: WebhookDelivery


class TestWebhookV1Data(TypedDict):
    channelId: str
    isSandbox: bool
    createdAt: str


class TestWebhookV1(TypedDict):
    event: Literal["webhook.test"]
    type: Literal["webhook"]
    title: str
    message: str
    data: TestWebhookV1Data
    timestamp: str
    delivery: WebhookDelivery


Webhook = Union[
    TransactionCreatedWebhook, TransactionCreatedWebhookV1, TransactionPaidWebhook, TransactionPaidWebhookV1,
    TransactionExpiredWebhook, TransactionExpiredWebhookV1, TransactionRefundedWebhook, TransactionRefundedWebhookV1,
    TransactionCancelledWebhook, TransactionCancelledWebhookV1, TransactionFailedWebhook, TransactionFailedWebhookV1,
    TransactionPartiallyRefundedWebhook, PaymentUnappliedWebhook, PaymentSettledWebhook, StoreChangedWebhook,
    TestWebhook, TestWebhookV1,
]


class _Violation(TypedDict):
    field: str
    reason: str


class Violation(_Violation, total=False):
    resumeAfter: str
