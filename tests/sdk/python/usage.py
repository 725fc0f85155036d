"""Checked, never run: what callers write must pass `mypy --strict`, and what is wrong must not."""

from datetime import datetime, timezone
from typing import Optional

from pixledger import (
    ApiError,
    PixledgerClient,
    WebhookVerificationError,
    verify_checkpoint,
    verify_receipt,
    verify_return,
    verify_webhook,
)
from pixledger.types import CreateTransaction

client = PixledgerClient("sk_test_x", "https://pay.example.com", timeout=5, retries=2, ca_file=None)


def sell() -> str:
    order: CreateTransaction = {
        "customer": {"name": "Ana", "document": "52998224725", "email": "ana@example.com", "phone": "11987654321"},
        "payment": {"amountCents": 1990, "product": "Camiseta"},
        "originDomain": "loja.example.com",
    }
    charge = client.transactions.create(order, idempotency_key="order-1", timeout=1)
    client.transactions.create({"payment": {"amount": 19.9}})  # type: ignore[typeddict-item]
    client.transactions.get(7)  # type: ignore[arg-type]
    client.transactions.get("c1", idempotency_key="order-1")  # type: ignore[call-arg]
    client.channels.create({"url": "https://a.example", "webhookApiVersion": "v1"})  # type: ignore[typeddict-item]
    for item in client.transactions.list_all({"status": "paid", "dateFrom": datetime.now(timezone.utc)}):
        email: Optional[str] = item["customerEmail"]
        if email is None:
            continue
    client.transactions.list({"states": ["paid"]})  # type: ignore[arg-type]
    secret: str = client.channels.create({"url": "https://shop.example.com/hooks"})["secret"]
    client.channels.get("c1")["secret"]  # type: ignore[typeddict-item]
    host = client.unversioned.transactions.list({"page": 2})["data"][0]["domain"]
    for event in client.events.follow({"wait": 30}, stop_when_idle=True, on_cut_off=print):
        if event["event"] == "transaction.paid":
            return str(event["data"]["endToEndId"])
    removed = client.blocklist.remove("c1")
    removed["id"]  # type: ignore[index]
    session = client.checkout.create({"payment": order["payment"], "originDomain": "loja.example.com"})
    return charge["pixCode"] + secret + (host["host"] if host else session["url"])


def reason_of(error: Exception) -> str:
    if isinstance(error, ApiError):
        return f"{error.status} {error.code} {error.details[0]['field']} {error.retry_after_ms}"
    return error.code if isinstance(error, WebhookVerificationError) else "unknown"


def receive(body: bytes) -> str:
    webhook = verify_webhook(body, {"X-Webhook-Signature": "…"}, ["old", "new"], tolerance_seconds=60, versions=["v2"])
    verify_webhook({"event": "x"}, {}, "secret")  # type: ignore[arg-type]
    if webhook["event"] == "webhook.test":
        return webhook["data"]["channelId"]
    if webhook["event"] == "store.changed":
        return ",".join(webhook["data"]["changed"])
    return webhook["data"]["externalId"] + str(webhook["delivery"]["attempt"])


def prove(text: str) -> str:
    verified = verify_receipt(text, "name+0a0b0c0d+key", transaction_id="c1")
    verify_receipt({}, b"")  # type: ignore[arg-type]
    verified["status"]  # type: ignore[typeddict-item]
    if not verified["ok"]:
        return verified["reason"]
    came = verify_return("/?session=…", "key", session="c2")
    checkpoint = verify_checkpoint("", "key")
    return came["status"] if came else f"{verified['status']} {checkpoint['ok'] and checkpoint['size']}"
