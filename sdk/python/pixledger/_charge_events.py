"""The stored events of charges, from their bytes to the fields in a receipt."""

import re
from typing import Any, Callable, Dict, List, Optional, Sequence, TypeVar

from ._charge_event_fields import EVENTS
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


def _cents(cents: Optional[int]) -> int:
    cents = cents or 0
    return cents if cents >= 0 else unreadable("cents")


# By form, in a receipt's words.
READERS: Dict[str, Callable[[FlatTable, int], Any]] = {
    "id": lambda facts, place: _id(facts.text(place)),
    "endToEndId": lambda facts, place: _end_to_end_id(facts.text(place)),
    "refundId": lambda facts, place: _refund_id(facts.text(place)),
    "returnId": lambda facts, place: _return_id(facts.text(place)),
    "text": lambda facts, place: _given(facts.text(place), "text"),
    "uint32": lambda facts, place: facts.unsigned(place, 4),
    "bool": lambda facts, place: True if facts.unsigned(place, 1) else None,
    "cents": lambda facts, place: _cents(facts.int64(place)),
    "time": lambda facts, place: _time(facts.int64(place)),
    "environment": lambda facts, place: _one_of(ENVIRONMENTS, facts.unsigned(place, 1), "environment"),
    "codeKind": lambda facts, place: _one_of(CODE_KINDS, facts.unsigned(place, 1), "code_kind"),
    "codeFallback": lambda facts, place: _one_of(CODE_FALLBACKS, facts.unsigned(place, 1), "code_fallback"),
    "flag": lambda facts, place: _one_of(FLAGS, facts.unsigned(place, 1), "flag"),
}


def _data(fields: List[Any], facts: FlatTable, personal: Data) -> Data:
    """`personal` has what is not among the facts, by its form."""
    data: Data = {}
    for name, form, place, absent in fields:
        if place < 0:
            value = personal[form]
        elif absent != "required" and not facts.has(place):
            value = None
        else:
            value = READERS[form](facts, place)
        if value is not None or absent != "left out":
            data[name] = value
    return data


def _metadata(entries: Optional[List[FlatTable]]) -> Optional[Dict[str, str]]:
    if entries is None:
        return None
    pairs = [(_given(entry.text(0), "key"), _given(entry.text(1), "value")) for entry in entries]
    return dict(pairs) if len(dict(pairs)) == len(pairs) else unreadable("metadata")


def _personal(content: Optional[bytes]) -> Data:
    if content is None:
        return {"ip": None, "reason": None, "metadata": None}
    table = FlatTable(content)
    if len(table.vector(0) or b"") != SALT_BYTES:
        unreadable("salt")
    return {"ip": table.text(2), "reason": table.text(3), "metadata": _metadata(table.tables(6))}


def read_event(position: int, envelope_bytes: bytes, personal_bytes: Optional[bytes]) -> Data:
    """What the bytes of an envelope and of its personal data (None: none) say. Raises UnreadableBytes."""
    envelope = FlatTable(envelope_bytes)
    if not 0 < envelope.unsigned(4, 2) <= NEWEST_SCHEMA_VERSION:
        unreadable("schema_version")
    type, fields = _given(EVENTS.get(envelope.unsigned(3, 2)), "type")
    project = _id(envelope.text(5))
    facts = FlatTable(_given(envelope.vector(8), "facts"))
    return {
        "position": position,
        "stream": _given(envelope.text(1), "stream"),
        "version": envelope.unsigned(2, 4),
        "type": type,
        "recordedAt": _time(envelope.int64(0)),
        "actor": _given(envelope.text(6), "actor"),
        "requestId": envelope.text(7) or None,
        "data": _data(fields, facts, {**_personal(personal_bytes), "project": project}),
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
