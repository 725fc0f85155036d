"""The stored events of charges, from their bytes to the fields in a receipt. docs/reference/events.md is the source of
every number here."""

import re
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, TypeVar

from ._flat import FlatTable, unreadable
from ._times import iso_time

NEWEST_SCHEMA_VERSION = 1
SALT_BYTES = 16
LAST_TIME = 253_402_300_799_999  # 9999-12-31T23:59:59.999Z
ENVIRONMENTS = ("live", "sandbox")
CODE_KINDS = (None, "dynamic", "static")
CODE_FALLBACKS = (None, "static", "none")
FLAGS = (None, "PAID_AFTER_EXPIRY", "PAID_AFTER_CLOSE", "DUPLICATE_PAYMENT", "AMOUNT_MISMATCH")

Data = Dict[str, Any]
Value = TypeVar("Value")


class Personal(NamedTuple):
    ip: Optional[str]
    reason: Optional[str]
    metadata: Optional[Dict[str, str]]


def _given(value: Optional[Value], what: str) -> Value:
    return unreadable(what) if value is None else value


def _one_of(values: Sequence[Optional[str]], index: int, what: str) -> str:
    return _given(values[index] if index < len(values) else None, what)


def _matching(form: str) -> Callable[[Optional[str]], str]:
    return lambda text: text if re.fullmatch(form, _given(text, "text")) and text else unreadable("text")


_id = _matching("[cC][^\0-\x20\x7f-]{8,63}")
_end_to_end_id = _matching("[0-9A-Za-z]{32}")
_refund_id = _matching("[0-9A-Za-z]{1,35}")
_return_id = _matching("[0-9A-Za-z]{32}")


def _time(millis: Optional[int]) -> str:
    millis = millis or 0
    return iso_time(millis) if 0 <= millis <= LAST_TIME else unreadable("time")


def _cents_or_none(cents: Optional[int]) -> Optional[int]:
    return cents if cents is None or cents >= 0 else unreadable("cents")


def _cents(cents: Optional[int]) -> int:
    return _cents_or_none(cents) or 0


def _known(**fields: Any) -> Data:
    """Those that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def _created(facts: FlatTable, personal: Personal, project_id: str) -> Data:
    awaited, session = facts.int64(12), facts.text(14)
    return {
        "transactionId": _id(facts.text(0)),
        "projectId": project_id,
        "environment": _one_of(ENVIRONMENTS, facts.unsigned(1, 1), "environment"),
        "customerId": _id(facts.text(2)),
        "connectionId": _id(facts.text(3)),
        "externalId": facts.text(4),
        "amountCents": _cents(facts.int64(5)),
        "product": _given(facts.text(6), "product"),
        "quantity": facts.unsigned(7, 4),
        "originDomain": _given(facts.text(8), "origin_host"),
        "expiresAt": _time(facts.int64(9)),
        "pixCode": _given(facts.text(10), "pix_code"),
        "customerIp": personal.ip,
        **_known(
            metadata=personal.metadata,
            throughBank=True if facts.unsigned(11, 1) else None,
            codeAwaitedUntil=None if awaited is None else _time(awaited),
            codeFallback=_one_of(CODE_FALLBACKS, facts.unsigned(13, 1), "code_fallback") if facts.has(13) else None,
            checkoutSessionId=_id(session) if facts.has(14) else None,
        ),
    }


def _optional(form: Callable[[Optional[str]], str], text: Optional[str]) -> Optional[str]:
    return None if text is None else form(text)


def _refund_requested(facts: FlatTable, personal: Personal, _: str) -> Data:
    return {
        "refundId": _refund_id(facts.text(0)),
        "amountCents": _cents(facts.int64(1)),
        "reason": personal.reason,
        **_known(endToEndId=_optional(_end_to_end_id, facts.text(2))),
    }


def _unapplied_returned(facts: FlatTable, personal: Personal, _: str) -> Data:
    returned = facts.int64(2)
    return {
        "endToEndId": _end_to_end_id(facts.text(0)),
        "reason": personal.reason,
        **_known(
            refundId=_optional(_refund_id, facts.text(1)), returnedAt=None if returned is None else _time(returned)
        ),
    }


def _unapplied_return(facts: FlatTable, personal: Personal, _: str) -> Data:
    return {
        "refundId": _refund_id(facts.text(0)),
        "endToEndId": _end_to_end_id(facts.text(1)),
        "reason": personal.reason,
    }


def _with_fee(facts: FlatTable, *_: Any) -> Data:
    return {"endToEndId": _end_to_end_id(facts.text(0)), "feeCents": _cents_or_none(facts.int64(1))}


def _nothing(*_: Any) -> Data:
    return {}


class _Type(NamedTuple):
    name: str
    # Its fields, from its facts, the remaining personal data, and the project.
    data: Callable[[FlatTable, Personal, str], Data]


TYPES = {
    60: _Type("ChargeCreated", _created),
    61: _Type(
        "ChargePaid",
        lambda facts, *_: {
            "endToEndId": _end_to_end_id(facts.text(0)),
            "amountCents": _cents(facts.int64(1)),
            "paidAt": _time(facts.int64(2)),
            "feeCents": _cents_or_none(facts.int64(3)),
        },
    ),
    62: _Type("ChargeProcessingStarted", _nothing),
    63: _Type("ChargeExpired", _nothing),
    64: _Type("ChargeCancelled", _nothing),
    65: _Type("ChargeFailed", lambda facts, personal, _: {"reason": personal.reason}),
    66: _Type(
        "ChargeRefunded",
        lambda facts, personal, _: {
            "amountCents": _cents(facts.int64(0)),
            "reason": personal.reason,
            **_known(refundId=_optional(_refund_id, facts.text(1))),
        },
    ),
    67: _Type(
        "PaymentLeftUnapplied",
        lambda facts, *_: {
            "endToEndId": _end_to_end_id(facts.text(0)),
            "amountCents": _cents(facts.int64(1)),
            "paidAt": _time(facts.int64(2)),
            "flag": _one_of(FLAGS, facts.unsigned(3, 1), "flag"),
        },
    ),
    68: _Type("UnappliedPaymentAccepted", _with_fee),
    69: _Type("UnappliedPaymentReturned", _unapplied_returned),
    70: _Type(
        "ChargeCodeSet",
        lambda facts, *_: {
            "kind": _one_of(CODE_KINDS, facts.unsigned(0, 1), "kind"),
            "pixCode": _given(facts.text(1), "pix_code"),
        },
    ),
    71: _Type("ChargeCancelRequested", _nothing),
    72: _Type("ChargeCancelDropped", _nothing),
    73: _Type("RefundRequested", _refund_requested),
    74: _Type(
        "RefundDone",
        lambda facts, *_: {"refundId": _refund_id(facts.text(0)), "settledAt": _time(facts.int64(1))},
    ),
    75: _Type("RefundFailed", lambda facts, *_: {"refundId": _refund_id(facts.text(0))}),
    76: _Type(
        "PaymentReversed",
        lambda facts, *_: {
            "refundId": _refund_id(facts.text(0)),
            "returnId": _return_id(facts.text(1)),
            "amountCents": _cents(facts.int64(2)),
            "reversedAt": _time(facts.int64(3)),
            **_known(endToEndId=_optional(_end_to_end_id, facts.text(4))),
        },
    ),
    77: _Type("UnappliedReturnRequested", _unapplied_return),
    78: _Type("UnappliedReturnFailed", _unapplied_return),
    79: _Type(
        "UnappliedPaymentReversed",
        lambda facts, *_: {
            "endToEndId": _end_to_end_id(facts.text(0)),
            "refundId": _refund_id(facts.text(1)),
            "returnId": _return_id(facts.text(2)),
            "amountCents": _cents(facts.int64(3)),
            "reversedAt": _time(facts.int64(4)),
        },
    ),
    81: _Type("UnappliedPaymentAdded", _with_fee),
}


def _metadata(entries: Optional[List[FlatTable]]) -> Optional[Dict[str, str]]:
    if entries is None:
        return None
    pairs = [(_given(entry.text(0), "key"), _given(entry.text(1), "value")) for entry in entries]
    return dict(pairs) if len(dict(pairs)) == len(pairs) else unreadable("metadata")


def _personal(content: Optional[bytes]) -> Personal:
    if content is None:
        return Personal(None, None, None)
    table = FlatTable(content)
    if len(table.vector(0) or b"") != SALT_BYTES:
        unreadable("salt")
    return Personal(table.text(2), table.text(3), _metadata(table.tables(6)))


def read_event(position: int, envelope_bytes: bytes, personal_bytes: Optional[bytes]) -> Data:
    """What the bytes of an envelope and of its personal data (None: none) say. Raises UnreadableBytes."""
    envelope = FlatTable(envelope_bytes)
    if not 0 < envelope.unsigned(4, 2) <= NEWEST_SCHEMA_VERSION:
        unreadable("schema_version")
    type = _given(TYPES.get(envelope.unsigned(3, 2)), "type")
    project_id = _id(envelope.text(5))
    facts = FlatTable(_given(envelope.vector(8), "facts"))
    return {
        "position": position,
        "stream": _given(envelope.text(1), "stream"),
        "version": envelope.unsigned(2, 4),
        "type": type.name,
        "recordedAt": _time(envelope.int64(0)),
        "actor": _given(envelope.text(6), "actor"),
        "requestId": envelope.text(7) or None,
        "data": type.data(facts, _personal(personal_bytes), project_id),
    }


STATUSES = {
    "ChargeCreated": "waiting_payment",
    "ChargePaid": "paid",
    "ChargeProcessingStarted": "processing",
    "ChargeExpired": "expired",
    "ChargeCancelled": "cancelled",
    "ChargeFailed": "failed",
}


def status_after(events: Sequence[Data]) -> str:
    """The status that the events, in their order, come to."""
    status = ""
    paid_cents: Optional[int] = None
    refunded_cents = 0
    unapplied_cents: Dict[str, int] = {}  # by end-to-end id
    requested_cents: Dict[str, int] = {}  # of refunds, by their ids
    for event in events:
        type, data = event["type"], event["data"]
        status = STATUSES.get(type, status)
        refund: Optional[int] = None
        if type == "ChargePaid":
            paid_cents = data["amountCents"]
        elif type in ("ChargeRefunded", "PaymentReversed"):
            refund = data["amountCents"]
        elif type == "RefundRequested":
            requested_cents[data["refundId"]] = data["amountCents"]
        elif type == "RefundDone":
            refund = requested_cents.get(data["refundId"], 0)
        elif type == "PaymentLeftUnapplied":
            unapplied_cents[data["endToEndId"]] = data["amountCents"]
        elif type == "UnappliedPaymentReturned":
            unapplied_cents.pop(data["endToEndId"], None)
        elif type == "UnappliedPaymentAccepted" and data["endToEndId"] in unapplied_cents:
            paid_cents = unapplied_cents.pop(data["endToEndId"])
            status = "paid"
        elif type == "UnappliedPaymentAdded":
            added = unapplied_cents.pop(data["endToEndId"], 0)
            paid_cents = None if paid_cents is None else paid_cents + added
        if refund is not None:
            refunded_cents += refund
            if paid_cents is not None and refunded_cents >= paid_cents:
                status = "refunded"
    return status
