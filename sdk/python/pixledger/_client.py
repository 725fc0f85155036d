"""The client: every operation of the API for programs with a key."""

import re
import ssl
from typing import Any, Dict, NoReturn, Optional
from typing import List as ListType

from . import types as t
from ._calls import Act, Feed, Find, FindOne, List, ListOf, Read, ReadOne, Remove, Send, SendTo
from ._calls import bytes_of, page_of, text_of
from ._http import parse_base
from ._secret import Secret
from ._transport import RETRIES_REASON, TIMEOUT_REASON, Transport, is_retries, is_timeout, object_of

V1 = "/api/v1"
TransactionList = List[t.ListTransactionsQuery, t.ListTransactionsV1Page, t.TransactionItemV1]
TransactionEvents = FindOne[t.ListTransactionEventsQuery, t.ListTransactionEventsPage]
CustomerList = List[t.ListCustomersQuery, t.ListCustomersV1Page, t.Customer]
DeliveryList = ListOf[t.ListDeliveriesQuery, t.ListDeliveriesPage, t.Delivery]


class Transactions:
    def __init__(self, to: Transport) -> None:
        path = f"{V1}/transactions"
        at = f"{path}/{{id}}"
        self.create: Send[t.CreateTransaction, t.CreatedTransaction] = Send(to, path)
        self.list: TransactionList = List(to, path)
        self.list_all = self.list.all
        self.get: ReadOne[t.Transaction] = ReadOne(to, at)
        # As it was at a time, or right after an event of the feed.
        self.get_as_of: FindOne[t.GetTransactionQuery, t.Transaction] = FindOne(to, at)
        self.cancel: Act[t.Transaction] = Act(to, f"{at}/cancel")
        # Without an amount: the rest that is not refunded yet.
        self.refund: SendTo[t.RefundTransaction, t.Transaction] = SendTo(to, f"{at}/refund")
        # Its events, with their actors.
        self.events: TransactionEvents = FindOne(to, f"{at}/events", page_of)
        self.qr_svg: FindOne[t.GetQrSvgQuery, str] = FindOne(to, f"{at}/qr.svg", text_of)
        self.qr_png: FindOne[t.GetQrPngQuery, bytes] = FindOne(to, f"{at}/qr.png", bytes_of)
        # Its events with the proof that the ledger holds them: see verify_receipt.
        self.receipt: ReadOne[t.Receipt] = ReadOne(to, f"{at}/receipt")


class Customers:
    def __init__(self, to: Transport) -> None:
        path = f"{V1}/customers"
        at = f"{path}/{{id}}"
        # Creates the customer, or replaces the one with the same document.
        self.save: Send[t.SaveCustomer, t.Customer] = Send(to, path)
        self.list: CustomerList = List(to, path)
        self.list_all = self.list.all
        self.get: ReadOne[t.CustomerDetailV1] = ReadOne(to, at)
        self.block: SendTo[t.BlockCustomer, t.CustomerDetailV1] = SendTo(to, f"{at}/block")
        self.unblock: Act[t.CustomerDetailV1] = Act(to, f"{at}/unblock")


class Blocklist:
    def __init__(self, to: Transport) -> None:
        path = f"{V1}/blocklist"
        self.list: List[t.ListBlocklistQuery, t.ListBlocklistPage, t.BlocklistEntry] = List(to, path)
        self.list_all = self.list.all
        self.add: Send[t.AddBlocklistEntry, t.BlocklistEntry] = Send(to, path)
        self.remove: Remove[t.BlocklistEntry] = Remove(to, f"{path}/{{id}}")


class Store:
    def __init__(self, to: Transport) -> None:
        self.get: Read[t.Store] = Read(to, f"{V1}/store")
        self.update: Send[t.ChangeStore, t.Store] = Send(to, f"{V1}/store", method="PATCH")


class Channels:
    def __init__(self, to: Transport) -> None:
        path = f"{V1}/notification-channels"
        at = f"{path}/{{id}}"
        self.create: Send[t.AddChannel, t.NotificationChannelWithSecret] = Send(to, path)
        self.list: List[t.ListChannelsQuery, t.ListChannelsPage, t.NotificationChannel] = List(to, path)
        self.list_all = self.list.all
        self.get: ReadOne[t.NotificationChannel] = ReadOne(to, at)
        self.update: SendTo[t.UpdateChannel, t.NotificationChannel] = SendTo(to, at, method="PATCH")
        self.delete: Remove[t.NotificationChannel] = Remove(to, at)
        # The old secret stays valid for the grace, by default 86,400 s.
        self.rotate_secret: SendTo[t.RotateSecret, t.RotateSecretData] = SendTo(to, f"{at}/rotate-secret")
        self.test: Act[t.Delivery] = Act(to, f"{at}/test")
        self.deliveries: DeliveryList = ListOf(to, f"{at}/deliveries")
        self.deliveries_all = self.deliveries.all
        # Sends again what the channel missed.
        self.recover: SendTo[t.RecoverDeliveries, t.Recovery] = SendTo(to, f"{at}/recover")
        # Its receiver's replies of the last 24 hours.
        self.stats: ReadOne[t.ChannelStats] = ReadOne(to, f"{at}/stats")
        # An event in both versions.
        self.preview: FindOne[t.PreviewChannelQuery, t.ChannelPreview] = FindOne(to, f"{at}/preview")
        # The catalogue of events.
        self.events: Read[ListType[t.CatalogueEntry]] = Read(to, f"{path}/events")


class Checkout:
    """Payers' pages."""

    def __init__(self, to: Transport) -> None:
        path = f"{V1}/checkout/sessions"
        at = f"{path}/{{id}}"
        # Send the payer to its `url`.
        self.create: Send[t.CreateCheckoutSession, t.CheckoutSessionWithSecret] = Send(to, path)
        self.list: List[t.ListCheckoutSessionsQuery, t.ListCheckoutSessionsPage, t.CheckoutSession] = List(to, path)
        self.list_all = self.list.all
        self.get: ReadOne[t.CheckoutSession] = ReadOne(to, at)
        # And its transaction that waits for its payment.
        self.cancel: Act[t.CheckoutSession] = Act(to, f"{at}/cancel")
        # Of its `webhookUrl`.
        self.deliveries: DeliveryList = ListOf(to, f"{at}/deliveries")
        self.deliveries_all = self.deliveries.all


class Deliveries:
    def __init__(self, to: Transport) -> None:
        at = f"{V1}/deliveries/{{id}}"
        # With what was sent; signatures are left out.
        self.get: ReadOne[t.DeliveryDetail] = ReadOne(to, at)
        self.redeliver: Act[t.Delivery] = Act(to, f"{at}/redeliver")


class Events:
    def __init__(self, to: Transport) -> None:
        self.list = Feed(to, f"{V1}/events")
        self.follow = self.list.follow


class Overview:
    """Figures and tables for people."""

    def __init__(self, to: Transport) -> None:
        self.search: Find[t.SearchQuery, t.Found] = Find(to, f"{V1}/search")
        self.stats: Find[t.GetStatsQuery, t.Stats] = Find(to, f"{V1}/stats")
        self.connections: Read[ListType[t.ListedConnection]] = Read(to, f"{V1}/connections")
        self.failed_requests: Find[t.ListFailedRequestsQuery, t.FailedRequests] = Find(to, f"{V1}/requests")
        # The whole table as text. A workbook (`format` xlsx) is bytes: fetch it yourself.
        self.export_table: FindOne[t.ExportTableQuery, str] = FindOne(to, f"{V1}/exports/{{what}}", text_of)


class Ledger:
    def __init__(self, to: Transport) -> None:
        # The number of events and the root of their Merkle tree, signed.
        self.checkpoint: Read[t.Checkpoint] = Read(to, f"{V1}/ledger/checkpoint")
        # The proof that the state of `to` events, by default all, continues that of `from` events (RFC 6962).
        self.consistency: Find[t.GetConsistencyQuery, t.Consistency] = Find(to, f"{V1}/ledger/consistency")


class Sandbox:
    """What test keys can do with transactions of the sandbox."""

    def __init__(self, to: Transport) -> None:
        at = "/api/sandbox/transactions/{id}"
        self.pay: Act[t.PaidSimulation] = Act(to, f"{at}/pay")
        self.expire: Act[t.ExpiredSimulation] = Act(to, f"{at}/expire")
        self.fail: Act[t.FailedSimulation] = Act(to, f"{at}/fail")


class UnversionedTransactions:
    def __init__(self, to: Transport) -> None:
        path = "/api/transactions"
        self.list: List[t.ListTransactionsQuery, t.ListTransactionsPage, t.TransactionItem] = List(to, path)
        self.list_all = self.list.all
        self.get: ReadOne[t.Transaction] = ReadOne(to, f"{path}/{{id}}")


class UnversionedCustomers:
    def __init__(self, to: Transport) -> None:
        path = "/api/customers"
        self.save: Send[t.SaveCustomer, t.Customer] = Send(to, path)
        self.list: List[t.ListCustomersQuery, t.ListCustomersPage, t.Customer] = List(to, path)
        self.list_all = self.list.all
        self.get: ReadOne[t.CustomerDetail] = ReadOne(to, f"{path}/{{id}}")


class Unversioned:
    """The paths without a version: the same things with slightly other fields."""

    def __init__(self, to: Transport) -> None:
        self.transactions = UnversionedTransactions(to)
        self.customers = UnversionedCustomers(to)


class Service:
    """About the server; needs no key."""

    def __init__(self, to: Transport) -> None:
        self.alive: Read[t.Alive] = Read(to, "/healthz", is_public=True)
        self.ready: Read[t.Ready] = Read(to, "/readyz", is_public=True)
        # Prometheus text.
        self.metrics: Read[str] = Read(to, "/metrics", text_of, is_public=True)
        self.document: Read[Dict[str, Any]] = Read(to, "/openapi.json", object_of, is_public=True)


class PixledgerClient:
    """Calls the API with one key. Calls are repeated, after growing pauses or those that the server requests, when it
    answers 429, 502, 503 or 504, when the same idempotency key is still in flight, and when there is no reply.

    Methods ending in `_all` yield every item, page by page. Calls raise ApiError, ApiConnectionError or
    ApiTimeoutError; TypeError and ValueError mean a wrong call. A client may be used by several threads.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str,
        *,
        timeout: float = 30.0,
        retries: int = 4,
        allow_http: bool = False,
        ca_file: Optional[str] = None,
    ) -> None:
        """`base_url` is such as https://pay.example.com. `timeout` is for one attempt, until its reply has been read;
        `retries` is the number of attempts after the first. `allow_http` permits http: to other hosts than this
        machine. `ca_file` has the only certificates to trust, instead of the system's.
        """
        key = Secret(api_key)
        del api_key  # tracebacks may show local variables
        address = Secret(base_url)
        del base_url
        _check_key(key)
        if not is_timeout(timeout):
            raise ValueError(TIMEOUT_REASON)
        if not is_retries(retries):
            raise ValueError(RETRIES_REASON)
        base = parse_base(address, allow_http)
        tls = ssl.create_default_context(cafile=ca_file) if base.secure else None
        to = Transport(key, base, timeout, retries, tls)
        self.transactions = Transactions(to)
        self.customers = Customers(to)
        self.blocklist = Blocklist(to)
        self.store = Store(to)
        self.channels = Channels(to)
        self.checkout = Checkout(to)
        self.deliveries = Deliveries(to)
        self.events = Events(to)
        self.overview = Overview(to)
        self.ledger = Ledger(to)
        self.sandbox = Sandbox(to)
        self.unversioned = Unversioned(to)
        self.service = Service(to)

    def __repr__(self) -> str:
        return "<PixledgerClient>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a client holds its API key and cannot be serialised")


def _check_key(key: Secret) -> None:
    if not isinstance(key.reveal(), str):
        raise TypeError("api_key must be a text")
    if not re.fullmatch("(?!whsec_)[!-~]+", key.reveal()):
        raise ValueError("api_key must be an API key, without white space around it")
