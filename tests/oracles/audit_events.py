"""The events of a charge, from their stored bytes to what is shown of them: docs/reference/events.md."""
import datetime
import struct


class Refused(Exception):
    pass


def demand(condition, problem):
    if not condition:
        raise Refused(problem)


class Table:
    """A table of a FlatBuffer, its root unless another place is given; fields by their number in the schema."""

    def __init__(self, data, start=None):
        self.data = data
        self.start = self.number("<I", 0) if start is None else start
        self.vtable = self.start - self.number("<i", self.start)
        self.vtable_bytes = self.number("<H", self.vtable)

    def number(self, form, at):
        demand(0 <= at <= len(self.data) - struct.calcsize(form), "an event's bytes end early")
        return struct.unpack_from(form, self.data, at)[0]

    def place(self, field):
        entry = 4 + 2 * field
        offset = self.number("<H", self.vtable + entry) if entry < self.vtable_bytes else 0
        return self.start + offset if offset else None

    def get(self, form, field, absent=0):
        at = self.place(field)
        return absent if at is None else self.number(form, at)

    def tables(self, field):
        at = self.place(field)
        if at is None:
            return []
        at += self.number("<I", at)
        places = range(at + 4, at + 4 + 4 * self.number("<I", at), 4)
        return [Table(self.data, place + self.number("<I", place)) for place in places]

    def bytes(self, field):
        at = self.place(field)
        if at is None:
            return None
        at += self.number("<I", at)
        length = self.number("<I", at)
        demand(at + 4 + length <= len(self.data), "an event's bytes end early")
        return self.data[at + 4 : at + 4 + length]

    def text(self, field):
        value = self.bytes(field)
        try:
            return None if value is None else value.decode()
        except UnicodeDecodeError:
            raise Refused("an event has a text that is not UTF-8") from None


def time_text(millis):
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=millis)
    return moment.isoformat(timespec="milliseconds") + "Z"


def payment(facts):
    cents, paid_at = facts.get("<q", 1), facts.get("<q", 2)
    return {"endToEndId": facts.text(0), "amountCents": cents, "paidAt": time_text(paid_at)}


def created(facts, personal, project):
    metadata = {"metadata": personal["metadata"]} if personal["metadata"] else {}
    return {
        "transactionId": facts.text(0),
        "projectId": project,
        "environment": ["live", "sandbox"][facts.get("<B", 1)],
        "customerId": facts.text(2),
        "connectionId": facts.text(3),
        "externalId": facts.text(4),
        "amountCents": facts.get("<q", 5),
        "product": facts.text(6),
        "quantity": facts.get("<I", 7),
        "originDomain": facts.text(8),
        "expiresAt": time_text(facts.get("<q", 9)),
        "pixCode": facts.text(10),
        "customerIp": personal["ip"],
        **metadata,
        **({"throughBank": True} if facts.get("<B", 11) else {}),
        **({"codeAwaitedUntil": time_text(facts.get("<q", 12))} if facts.get("<q", 12, None) is not None else {}),
        **({"codeFallback": [None, "static", "none"][facts.get("<B", 13)]}
           if facts.get("<B", 13, None) is not None else {}),
        **({"checkoutSessionId": facts.text(14)} if facts.text(14) is not None else {}),
    }


def unapplied_return(facts, personal, _):
    return {"refundId": facts.text(0), "endToEndId": facts.text(1), "reason": personal["reason"]}


FLAGS = [None, "PAID_AFTER_EXPIRY", "PAID_AFTER_CLOSE", "DUPLICATE_PAYMENT", "AMOUNT_MISMATCH"]
KINDS = {
    60: ("ChargeCreated", created),
    61: ("ChargePaid", lambda facts, *_: {**payment(facts), "feeCents": facts.get("<q", 3, None)}),
    62: ("ChargeProcessingStarted", lambda *_: {}),
    63: ("ChargeExpired", lambda *_: {}),
    64: ("ChargeCancelled", lambda *_: {}),
    65: ("ChargeFailed", lambda facts, personal, _: {"reason": personal["reason"]}),
    66: ("ChargeRefunded",
         lambda facts, personal, _: {"amountCents": facts.get("<q", 0), "reason": personal["reason"],
                                     **({"refundId": facts.text(1)} if facts.text(1) else {})}),
    67: ("PaymentLeftUnapplied", lambda facts, *_: {**payment(facts), "flag": FLAGS[facts.get("<B", 3)]}),
    68: ("UnappliedPaymentAccepted",
         lambda facts, *_: {"endToEndId": facts.text(0), "feeCents": facts.get("<q", 1, None)}),
    69: ("UnappliedPaymentReturned",
         lambda facts, personal, _: {"endToEndId": facts.text(0), "reason": personal["reason"],
                                     **({"refundId": facts.text(1)} if facts.text(1) else {}),
                                     **({"returnedAt": time_text(facts.get("<q", 2))}
                                        if facts.get("<q", 2, None) is not None else {})}),
    81: ("UnappliedPaymentAdded",
         lambda facts, *_: {"endToEndId": facts.text(0), "feeCents": facts.get("<q", 1, None)}),
    70: ("ChargeCodeSet",
         lambda facts, *_: {"kind": [None, "dynamic", "static"][facts.get("<B", 0)], "pixCode": facts.text(1)}),
    71: ("ChargeCancelRequested", lambda *_: {}),
    72: ("ChargeCancelDropped", lambda *_: {}),
    73: ("RefundRequested",
         lambda facts, personal, _: {"refundId": facts.text(0), "amountCents": facts.get("<q", 1),
                                     "reason": personal["reason"],
                                     **({"endToEndId": facts.text(2)} if facts.text(2) else {})}),
    74: ("RefundDone",
         lambda facts, *_: {"refundId": facts.text(0), "settledAt": time_text(facts.get("<q", 1))}),
    75: ("RefundFailed", lambda facts, *_: {"refundId": facts.text(0)}),
    76: ("PaymentReversed",
         lambda facts, *_: {"refundId": facts.text(0), "returnId": facts.text(1),
                            "amountCents": facts.get("<q", 2), "reversedAt": time_text(facts.get("<q", 3)),
                            **({"endToEndId": facts.text(4)} if facts.text(4) else {})}),
    77: ("UnappliedReturnRequested", unapplied_return),
    78: ("UnappliedReturnFailed", unapplied_return),
    79: ("UnappliedPaymentReversed",
         lambda facts, *_: {"endToEndId": facts.text(0), "refundId": facts.text(1), "returnId": facts.text(2),
                            "amountCents": facts.get("<q", 3), "reversedAt": time_text(facts.get("<q", 4))}),
}


def event_of(position, envelope_bytes, personal_bytes):
    envelope = Table(envelope_bytes)
    kind = KINDS.get(envelope.get("<H", 3))
    demand(kind and envelope.get("<H", 4) == 1, "an event is of a kind that no charge has")
    stored = Table(personal_bytes) if personal_bytes else None
    entries = stored.tables(6) if stored else []
    personal = {
        "ip": stored and stored.text(2),
        "reason": stored and stored.text(3),
        "metadata": {entry.text(0): entry.text(1) for entry in entries},
    }
    return {
        "position": position,
        "stream": envelope.text(1),
        "version": envelope.get("<I", 2),
        "type": kind[0],
        "recordedAt": time_text(envelope.get("<q", 0)),
        "actor": envelope.text(6),
        "requestId": envelope.text(7) or None,
        "data": kind[1](Table(envelope.bytes(8)), personal, envelope.text(5)),
    }


def status_after(events):
    status, paid, refunded, unapplied, requested = None, 0, 0, {}, {}
    for event in events:
        kind, data = event["type"], event["data"]
        if kind == "PaymentLeftUnapplied":
            unapplied[data["endToEndId"]] = data["amountCents"]
        elif kind in ("ChargePaid", "UnappliedPaymentAccepted"):
            status, paid = "paid", data.get("amountCents") or unapplied[data["endToEndId"]]
        elif kind == "UnappliedPaymentAdded":
            paid += unapplied[data["endToEndId"]]
        elif kind == "RefundRequested":
            requested[data["refundId"]] = data["amountCents"]
        elif kind in ("ChargeRefunded", "RefundDone", "PaymentReversed"):
            refunded += data["amountCents"] if "amountCents" in data else requested[data["refundId"]]
            status = "refunded" if refunded >= paid else status
        else:
            status = {"ChargeCreated": "waiting_payment", "ChargeProcessingStarted": "processing",
                      "ChargeExpired": "expired", "ChargeCancelled": "cancelled",
                      "ChargeFailed": "failed"}.get(kind, status)
    return status
