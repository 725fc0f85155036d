"""The client against a real server."""

import json
import re
import threading
import unittest
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Dict, Iterator, Set

from pixledger import ApiError, PixledgerClient, verify_checkpoint, verify_receipt
from pixledger._calls import _Call
from world import ADDRESS, ORDER, World

METHODS = ("get", "post", "put", "patch", "delete")


def calls_of(group: object) -> Iterator["_Call[Any]"]:
    for each in vars(group).values():
        if isinstance(each, _Call):
            yield each
        elif type(each).__module__ == "pixledger._client":
            yield from calls_of(each)


class RealServer(unittest.TestCase):
    world: World
    client: PixledgerClient

    @classmethod
    def setUpClass(cls) -> None:
        cls.world = World()
        cls.client = cls.world.client

    @classmethod
    def tearDownClass(cls) -> None:
        cls.world.__exit__(None, None, None)

    def expect_refusal(self, code: str, call: Any) -> ApiError:
        with self.assertRaises(ApiError) as caught:
            call()
        self.assertEqual(caught.exception.code, code)
        return caught.exception

    def create(self, **more: Any) -> str:
        order: Any = {**ORDER, **more}
        return self.client.transactions.create(order)["id"]

    def test_every_operation_of_the_api_has_a_method(self) -> None:
        known = {(each._method, each._path) for each in calls_of(self.client)}
        for path, methods in self.client.service.document()["paths"].items():
            for method, operation in methods.items():
                if method not in METHODS or "Sign-in" in operation["tags"]:
                    continue
                if not any("userToken" in each for each in operation.get("security", [])):
                    self.assertIn((method.upper(), path), known)

    def test_a_transaction_lives(self) -> None:
        transactions = self.client.transactions
        id = self.create(externalId="order-1")
        self.assertRegex(transactions.get(id)["pixCode"], "^000201")
        paid_at = self.client.sandbox.pay(id)["paidAt"]
        self.assertEqual(transactions.get(id)["paidAt"], paid_at)
        self.assertEqual(self.client.unversioned.transactions.get(id)["id"], id)
        since = datetime.now(timezone(timedelta(hours=-3))) - timedelta(minutes=5)
        page = transactions.list({"search": "order-1", "dateFrom": since})
        self.assertEqual((page["meta"]["total"], page["data"][0]["id"]), (1, id))
        self.assertEqual(transactions.list({"dateFrom": since + timedelta(hours=1)})["meta"]["total"], 0)
        self.assertEqual(transactions.list({"metadata": {"a": "b"}})["data"], [])
        self.assertEqual(transactions.list({"status": ["paid", "refunded"], "search": "order-1"})["meta"]["total"], 1)
        part = transactions.refund(id, {"amountCents": 990, "reason": "troca"})
        self.assertEqual(part["refundedAmountCents"], 990)
        self.assertEqual(transactions.refund(id)["status"], "refunded")
        self.expect_refusal("ERR_TRANSACTION_002", lambda: transactions.cancel(id))
        events = transactions.events(id)["data"]
        self.assertEqual(events[0]["event"], "transaction.created")
        self.assertEqual(transactions.get_as_of(id, {"asOf": events[0]["id"]})["status"], "waiting_payment")

    def test_codes_are_pictures(self) -> None:
        id = self.create()
        self.assertRegex(self.client.transactions.qr_svg(id), "^<svg ")
        self.assertEqual(self.client.transactions.qr_png(id, {"size": 192})[:4], b"\x89PNG")

    def test_the_sandbox_expires_and_fails_and_a_waiting_transaction_is_cancelled(self) -> None:
        self.assertEqual(self.client.sandbox.expire(self.create())["status"], "expired")
        self.assertEqual(self.client.sandbox.fail(self.create())["status"], "failed")
        self.assertEqual(self.client.transactions.cancel(self.create())["status"], "cancelled")

    def test_customers_the_blocklist_and_the_store(self) -> None:
        body: Any = {**ORDER["customer"], "document": "11144477735", "address": ADDRESS}
        renamed: Any = {**body, "name": "Bia"}
        id = self.client.customers.save(body)["id"]
        self.assertEqual(self.client.unversioned.customers.save(renamed)["id"], id)
        self.assertEqual(self.client.customers.get(id)["name"], "Bia")
        self.assertIn(id, [each["id"] for each in self.client.customers.list_all({"isBlocked": False})])
        until = datetime(2099, 1, 1, tzinfo=timezone.utc)
        blocked = self.client.customers.block(id, {"blockType": "fraud", "reason": "x", "expiresAt": until})
        self.assertEqual((blocked["isBlocked"], blocked["blockExpiresAt"]), (True, "2099-01-01T00:00:00.000Z"))
        self.assertFalse(self.client.customers.unblock(id)["isBlocked"])
        entry = self.client.blocklist.add({"type": "cidr", "value": "203.0.113.0/24"})
        self.assertEqual([each["id"] for each in self.client.blocklist.list_all()], [entry["id"]])
        removed = self.client.blocklist.remove(entry["id"])
        self.assertEqual(removed and removed["id"], entry["id"])
        self.expect_refusal("ERR_BLOCKLIST_001", lambda: self.client.blocklist.remove(entry["id"]))
        self.assertEqual(self.world.live.store.update({"pixExpirationMinutes": 45})["pixExpirationMinutes"], 45)
        self.assertEqual(self.client.store.get()["pixExpirationMinutes"], 45)

    def test_channels_and_their_deliveries(self) -> None:
        channels = self.client.channels
        channel = channels.create({"url": "https://127.0.0.1:8443/hooks", "events": ["transaction.paid"]})
        id = channel["id"]
        self.assertRegex(channel["secret"], "^whsec_")
        self.assertFalse(channels.update(id, {"isActive": False})["isActive"])
        channels.update(id, {"isActive": True})
        since = datetime.now(timezone.utc) - timedelta(seconds=1)
        self.assertEqual(channels.recover(id, {"since": since})["queued"], 0)
        self.assertNotEqual(channels.rotate_secret(id, {"graceSeconds": 0})["secret"], channel["secret"])
        self.assertEqual(channels.test(id)["channelId"], id)
        self.assertEqual(list(channels.deliveries_all(id, {"status": "delivered"})), [])
        self.assertEqual(channels.stats(id)["delivered"], 0)
        self.assertIn("body", channels.preview(id, {"event": "transaction.paid"})["v2"])
        self.assertGreater(len(channels.events()), 5)
        none = "c000000000000000000000000"
        self.expect_refusal("ERR_DELIVERY_001", lambda: self.client.deliveries.redeliver(none))
        self.expect_refusal("ERR_DELIVERY_001", lambda: self.client.deliveries.get(none))
        self.assertIsNotNone(channels.delete(id))
        self.expect_refusal("ERR_CHANNEL_001", lambda: channels.get(id))

    def test_pages_of_payers(self) -> None:
        checkout = self.client.checkout
        session = checkout.create({"payment": ORDER["payment"], "originDomain": "loja.example.com", "metadata": {}})
        self.assertRegex(session["url"], "^https://pay.example.com/")
        self.assertEqual(checkout.get(session["id"])["status"], "open")
        self.assertIn(session["id"], [each["id"] for each in checkout.list_all()])
        self.assertEqual(list(checkout.deliveries_all(session["id"])), [])
        self.assertEqual(checkout.cancel(session["id"])["status"], "cancelled")

    def test_figures_and_the_service(self) -> None:
        self.create(externalId="order-of-figures")
        found = self.client.overview.search({"q": "order-of-figures"})
        self.assertEqual(len(found["transactions"]), 1)
        self.assertGreater(self.client.overview.stats()["totals"]["created"], 0)
        self.assertIsInstance(self.client.overview.connections(), list)
        self.assertIn("groups", self.client.overview.failed_requests({"limit": 5}))
        table = self.client.overview.export_table("charges", {"format": "csv"})
        self.assertIn("order-of-figures", table)
        self.assertEqual(self.client.service.alive(), {"status": "ok"})
        self.assertEqual(self.client.service.ready(), {"status": "ready"})
        self.assertRegex(self.client.service.metrics(), "(?m)^# (HELP|TYPE) ")

    def test_receipts_and_checkpoints_as_check_proof_has_them(self) -> None:
        key = self.world.pixledger("checkpoint", "--public-key")["publicKey"]
        id = self.create(externalId="com recibo", metadata={"loja.canal": "balcão “1”", "__proto__": "x", "42": ""})
        self.client.sandbox.pay(id)
        self.client.transactions.refund(id, {"amountCents": 500, "reason": "troca — “tamanho”"})
        text = json.dumps(self.client.transactions.receipt(id))
        verified: Any = verify_receipt(text, key, transaction_id=id)
        self.assertTrue(verified["ok"], verified)
        checked = self.world.pixledger("check-proof", self.world.file("receipt", text), "--public-key", key)
        for name in ("transactionId", "status", "withoutPersonalData", "origin", "size", "rootHash", "streamLength"):
            self.assertEqual(verified[name], checked[name], name)
        types = [each["type"] for each in verified["events"]]
        self.assertEqual(types, ["ChargeCreated", "ChargePaid", "ChargeRefunded"])
        # Every changed character is refused by both, for the same reason.
        for at in range(0, len(text), 97):
            changed = text[:at] + ("B" if text[at] == "A" else "A") + text[at + 1 :]
            refused: Any = verify_receipt(changed, key)
            self.assertFalse(refused["ok"], changed[at - 20 : at + 20])
        problem = self.world.pixledger("check-proof", self.world.file("changed", changed), "--public-key", key, code=1)
        self.assertEqual(refused["message"].lower(), f"{problem['problem']}.".lower())
        checkpoint = self.client.ledger.checkpoint()
        signed: Any = verify_checkpoint(checkpoint["checkpoint"], key)
        stated = (checkpoint["origin"], checkpoint["size"], checkpoint["rootHash"])
        self.assertEqual((signed["origin"], signed["size"], signed["rootHash"]), stated)
        self.assertGreater(len(self.client.ledger.consistency({"from": 1})["proof"]), 0)

    def test_a_refusal_carries_everything_that_the_server_said(self) -> None:
        wrong: Any = {}
        call = self.client.transactions.create
        error = self.expect_refusal("ERR_VALIDATION_001", lambda: call(wrong, request_id="checkout-7"))
        self.assertEqual((error.status, error.request_id), (400, "checkout-7"))
        self.assertEqual(sorted(each["field"] for each in error.details), ["customer", "originDomain", "payment"])
        self.assertRegex(str(error), r"^400 ERR_VALIDATION_001: .*\(.*customer: .*\) \(request checkout-7\)$")

    def test_the_same_idempotency_key_does_a_thing_once(self) -> None:
        first = self.client.transactions.create(ORDER, idempotency_key="order 77")
        self.assertEqual(self.client.transactions.create(ORDER, idempotency_key="order 77"), first)
        other: Any = {**ORDER, "payment": {**ORDER["payment"], "amountCents": 1}}
        call = lambda: self.client.transactions.create(other, idempotency_key="order 77")  # noqa: E731
        self.expect_refusal("ERR_IDEMPOTENCY_003", call)
        self.assertNotEqual(self.create(), first["id"])

    def test_what_json_has_not_is_wrong_use(self) -> None:
        for value in (Decimal("19.90"), float("inf"), datetime(2026, 1, 1), b"x", {1, 2}):
            with self.assertRaises((TypeError, ValueError)):
                self.create(payment={"amountCents": value})
        whole: Any = {**ORDER, "payment": {**ORDER["payment"], "amountCents": 19.9}}
        self.expect_refusal("ERR_VALIDATION_001", lambda: self.client.transactions.create(whole))

    def test_every_item_comes_once_although_new_ones_push_them(self) -> None:
        domain = "pages.example.com"
        expected = {self.create(originDomain=domain) for _ in range(7)}
        seen = []
        for item in self.client.transactions.list_all({"originDomain": domain, "limit": 2}):
            seen.append(item["id"])
            if len(seen) < 4:
                self.create(originDomain=domain)
        self.assertEqual(len(set(seen)), len(seen))
        self.assertLessEqual(expected, set(seen))

    def test_threads_share_a_client(self) -> None:
        ids: Set[str] = set()
        threads = [threading.Thread(target=lambda: ids.add(self.create())) for _ in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(len(ids), 8)

    def test_the_feed_is_followed_through_kills_of_the_server(self) -> None:
        after = self.client.events.list({"limit": 1000})["meta"]["next"]
        expected = []
        feed = self.client.events.follow({"after": after, "types": ["transaction.created"], "wait": 1})
        seen = []
        for _ in range(3):
            expected.append(self.create())
            seen.append(next(feed)["transactionId"])
            self.world.kill_server()
            threading.Timer(0.5, self.world.serve).start()
            # Repeated until the server is back.
            expected.append(self.client.transactions.create(ORDER, retries=50)["id"])
            seen.append(next(feed)["transactionId"])
        self.assertEqual(seen, expected)
        cron = self.client.events.follow({"after": after, "types": ["transaction.created"]}, stop_when_idle=True)
        self.assertEqual([each["transactionId"] for each in cron], expected)
        never: Dict[str, Any] = {"after": after, "types": "store.changed"}
        self.assertEqual(list(self.client.events.follow(never, stop_when_idle=True)), [])  # type: ignore[arg-type]

    def test_keys_are_checked(self) -> None:
        stranger = PixledgerClient("sk_test_wrong", self.world.base_url)
        self.expect_refusal("ERR_AUTH_009", stranger.store.get)
        self.assertEqual(self.world.live.transactions.create(ORDER)["environment"], "live")
        self.assertTrue(re.fullmatch("[0-9a-f]{32}", self.client.events.list({"limit": 1})["meta"]["next"]))


if __name__ == "__main__":
    unittest.main()
