"""Keys and secrets are in no text of a client or an error, beyond what the vectors of sdk/conformance have."""

import copy
import logging
import pickle
import traceback
import unittest
from typing import Any, Callable, List
from unittest import mock

from pixledger import (
    ApiConnectionError,
    ApiError,
    PixledgerClient,
    WebhookVerificationError,
    verify_webhook,
)
from pixledger._secret import Secret
from stub import Stub, answer, json_answer

KEY = "sk_live_" + "0123456789abcdef"
SECRET = "whsec_" + "0123456789abcdef"


def error_of(call: Callable[[], Any]) -> BaseException:
    try:
        call()
    except BaseException as error:
        return error
    raise AssertionError("there is no error")


def texts_of(error: BaseException, depth: int = 3) -> List[str]:
    """What a reporter of errors may send: with the variables of every frame but the test's own."""
    frames = error.__traceback__
    while frames and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    shown = traceback.TracebackException(type(error), error, frames, capture_locals=True)
    texts = [*shown.format(), repr(error), str(error), repr(vars(error)), repr(error.args)]
    for other in (error.__cause__, error.__context__):
        texts += texts_of(other, depth - 1) if other and depth else []
    return texts


class Secrets(unittest.TestCase):
    def expect_hidden(self, text: str, texts: List[str]) -> None:
        self.assertTrue(texts)
        for each in texts:
            self.assertNotIn(text, each)

    def test_tracebacks_with_variables_would_show_a_key(self) -> None:
        """That the search finds something where there is something."""

        def leaky() -> None:
            exec("key = given\nraise ValueError", {"given": KEY})

        self.assertTrue(any(KEY in each for each in texts_of(error_of(leaky))))

    def test_interrupts_and_faults_on_the_way_show_no_key(self) -> None:
        with Stub(json_answer()) as stub:
            client = PixledgerClient(KEY, stub.url, retries=0)
            for target in (
                "socket.socket.connect",
                "socket.socket.send",
                "socket.socket.recv_into",
                "http.client.HTTPConnection._send_output",
                "http.client.HTTPConnection.getresponse",
            ):
                for fault in (KeyboardInterrupt(), MemoryError(), OSError("broken"), RuntimeError("bug")):
                    with mock.patch(target, side_effect=fault):
                        error = error_of(client.store.get)
                    self.expect_hidden(KEY, texts_of(error))
                    expected = ApiConnectionError if isinstance(fault, OSError) else type(fault)
                    self.assertIs(type(error), expected)

    def test_the_last_error_of_several_has_no_other_as_its_context(self) -> None:
        with mock.patch("pixledger._transport.time.sleep"), Stub(answer(b"")) as stub:
            error = error_of(PixledgerClient(KEY, stub.url, retries=2).store.get)
        self.assertEqual((error.__cause__, error.__context__), (None, None))
        self.expect_hidden(KEY, texts_of(error))

    def test_a_wrong_call_shows_no_key(self) -> None:
        client = PixledgerClient(KEY, "https://api.example.com")
        create: Any = client.transactions.create
        for call in (
            lambda: create({1, 2}),
            lambda: create({"a": object()}),
            lambda: create({"a": float("nan")}),
            lambda: create({}, idempotency_key="\n"),
            lambda: create({}, timeout=-1),
            lambda: create({}, retries="x"),
            lambda: client.transactions.get(""),
            lambda: PixledgerClient(KEY, "https://api.example.com", timeout=0),
            lambda: PixledgerClient(KEY, "https://api.example.com:99999"),
            lambda: PixledgerClient(KEY, 7),  # type: ignore[arg-type]
            lambda: PixledgerClient(KEY, "https://api.example.com", ca_file="/nowhere"),
            lambda: PixledgerClient(KEY + "\n", "https://api.example.com"),
            lambda: PixledgerClient(KEY.encode(), "https://api.example.com"),  # type: ignore[arg-type]
        ):
            error = error_of(call)
            self.assertIsInstance(error, (TypeError, ValueError, OSError))
            self.expect_hidden(KEY, texts_of(error))

    def test_nothing_of_a_client_shows_its_key(self) -> None:
        client = PixledgerClient(KEY, "https://api.example.com")
        seen: List[object] = []

        def walk(value: object) -> None:
            if any(value is each for each in seen):
                return
            seen.append(value)
            self.expect_hidden(KEY, [repr(value), str(value), f"{value}"])
            inner = vars(value) if hasattr(value, "__dict__") and not isinstance(value, type) else {}
            for name in getattr(type(value), "__slots__", ()):
                inner = {**inner, name: getattr(value, name)}
            for each in inner.values():
                walk(each)

        walk(client)
        self.assertGreater(len(seen), 60)
        self.assertTrue(any(isinstance(each, Secret) for each in seen))

    def test_clients_are_not_serialised(self) -> None:
        client = PixledgerClient(KEY, "https://api.example.com")
        for part in (client, client.transactions, client.transactions.get, client.events.follow):
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                with self.assertRaises(TypeError):
                    pickle.dumps(part, protocol)
            with self.assertRaises(TypeError):
                copy.deepcopy(part)

    def test_errors_are_serialised(self) -> None:
        details: Any = [{"field": "a", "reason": "b"}]
        error = pickle.loads(pickle.dumps(ApiError("no", 400, "ERR_X_001", details, "req_1", 1000)))
        self.assertEqual(str(error), "400 ERR_X_001: no (a: b) (request req_1)")
        self.assertEqual((error.details, error.retry_after_ms), (details, 1000))
        refusal = pickle.loads(pickle.dumps(WebhookVerificationError("no", "missing_header")))
        self.assertEqual((refusal.code, str(refusal)), ("missing_header", "missing_header: no"))

    def test_nothing_is_logged(self) -> None:
        with self.assertNoLogs() if hasattr(self, "assertNoLogs") else mock.patch.object(logging.Logger, "_log") as log:
            with Stub(json_answer()) as stub:
                PixledgerClient(KEY, stub.url).store.get()
        if log:
            log.assert_not_called()

    def test_errors_of_verification_show_no_secret(self) -> None:
        broken: Any = mock.Mock()
        broken.items.side_effect = RuntimeError("bug")
        body: Any = b'{"event":"x"}'
        signed = {"X-Webhook-Signature": "0" * 64}
        for call in (
            lambda: verify_webhook(body, {}, SECRET),
            lambda: verify_webhook(body, signed, SECRET),
            lambda: verify_webhook(body, signed, [SECRET, "other"]),
            lambda: verify_webhook({}, signed, SECRET),  # type: ignore[arg-type]
            lambda: verify_webhook(body, None, SECRET),  # type: ignore[arg-type]
            lambda: verify_webhook(body, broken, SECRET),
            lambda: verify_webhook(body, signed, [SECRET, ""]),
            lambda: verify_webhook(body, signed, SECRET.encode()),  # type: ignore[arg-type]
            lambda: verify_webhook(body, signed, SECRET, tolerance_seconds=-1),
        ):
            self.expect_hidden(SECRET, texts_of(error_of(call)))


if __name__ == "__main__":
    unittest.main()
