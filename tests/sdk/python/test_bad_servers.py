"""The client and servers that misbehave, beyond what the vectors of sdk/conformance have."""

import os
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import List
from unittest import mock

from pixledger import ApiConnectionError, ApiError, ApiTimeoutError, PixledgerClient
from stub import Handler, Stub, answer, json_answer, read_request

HEAD = b"HTTP/1.1 200 OK\r\n"


def client_of(stub: Stub, retries: int = 0, timeout: float = 5) -> PixledgerClient:
    return PixledgerClient("sk_test_x", stub.url, retries=retries, timeout=timeout)


def trickle(head: bytes, piece: bytes) -> Handler:
    """Sends pieces for ever, each within any time-out of a socket."""

    def send(connection: socket.socket) -> None:
        connection.sendall(head)
        while True:
            connection.sendall(piece)
            time.sleep(0.05)

    return send


class BadServers(unittest.TestCase):
    def test_the_time_out_is_one_of_the_whole_attempt(self) -> None:
        for handler in (
            trickle(b"", b"H"),
            trickle(HEAD, b"X: y\r\n"),
            trickle(HEAD + b"Content-Length: 900\r\n\r\n", b" "),
            trickle(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
            trickle(HEAD + b"\r\n", b" "),
            trickle(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        ):
            with Stub(handler) as stub:
                started = time.monotonic()
                with self.assertRaises(ApiTimeoutError):
                    client_of(stub, timeout=0.3).store.get()
                self.assertLess(time.monotonic() - started, 1.5)

    def test_sending_counts_as_well(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:  # it accepts nothing, so its buffers fill up
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            client = PixledgerClient("sk_test_x", url, retries=0, timeout=0.3)
            with self.assertRaises(ApiTimeoutError):
                client.store.update({"logo": "x" * 50_000_000})

    def test_a_handshake_that_does_not_end_counts_as_well(self) -> None:
        with Stub(lambda connection: time.sleep(3)) as stub:
            client = PixledgerClient("sk_test_x", stub.url.replace("http:", "https:"), retries=0, timeout=0.3)
            with self.assertRaises(ApiTimeoutError):
                client.store.get()

    def test_a_cut_body_is_an_error(self) -> None:
        body = b'{"success":true,"data":{}}'
        for content in (
            b"Content-Length: 27\r\n\r\n" + body,
            b"Content-Length: 999999999999999\r\n\r\n" + body,  # more than there is memory for
            b"Transfer-Encoding: chunked\r\n\r\n1a\r\n" + body,
            b"Transfer-Encoding: chunked\r\n\r\n1a\r\n" + body + b"\r\n",
            b"Transfer-Encoding: chunked\r\n\r\nffffffffffff\r\n" + body,
            b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n" + body,
        ):
            with self.subTest(content), Stub(answer(HEAD + content)) as stub:
                with self.assertRaises(ApiConnectionError) as caught:
                    client_of(stub).store.get()
                self.assertIs(type(caught.exception), ApiConnectionError)
                with self.assertRaises(ApiConnectionError):
                    client_of(stub).transactions.qr_png("c1")

    def test_what_is_no_http_is_an_error(self) -> None:
        for content in (
            b"",
            b"\r\n",
            b"hello\r\n\r\n",
            b"HTTP/1.1 two hundred\r\n\r\n",
            b"HTTP/1.1 " + b"2" * 70_000,
            HEAD + b"X: " + b"y" * 70_000 + b"\r\n\r\n",
            HEAD + b"X: y\r\n" * 200 + b"\r\n",
            b"\x15\x03\x01\x00\x02\x02\x16",
        ):
            with self.subTest(content[:30]), Stub(answer(content)) as stub, self.assertRaises(ApiConnectionError):
                client_of(stub).store.get()

    def test_what_is_no_json_is_an_error_and_not_repeated(self) -> None:
        deep = (b"[" * 200_000, b'{"data":' * 200_000)
        for content in (*deep, b'{"a":"\xff"}', b"9" * 100_000, b"{} {}", b"\xff\xfe{\0}\0"):
            with self.subTest(content[:20]), Stub(json_answer(content)) as stub:
                with self.assertRaises(ApiConnectionError):
                    client_of(stub, retries=3).store.get()
                self.assertEqual(len(stub.requests), 1)
            with self.subTest(content[:20]), Stub(json_answer(content, "400 Bad Request")) as stub:
                with self.assertRaises(ApiError) as caught:
                    client_of(stub).store.get()
                self.assertEqual(caught.exception.code, "ERR_HTTP_400")

    def test_a_page_without_items_is_an_error(self) -> None:
        for content in (b"{}", b'{"data":[]}', b'{"data":{},"meta":{}}', b'{"data":[],"meta":[]}'):
            with Stub(json_answer(content)) as stub, self.assertRaises(ApiConnectionError):
                list(client_of(stub).transactions.list_all())

    def test_a_retry_after_beyond_all_numbers_is_an_error_at_once(self) -> None:
        for value in ("9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"):
            with Stub(json_answer(b"{}", "503 Busy", f"Retry-After: {value}\r\n")) as stub:
                with self.assertRaises(ApiError) as caught:
                    client_of(stub, retries=4).store.get()
                self.assertGreater(caught.exception.retry_after_ms or 0, 10**9)
                self.assertEqual(len(stub.requests), 1)

    def test_pauses_grow_and_have_an_end(self) -> None:
        pauses: List[float] = []
        with mock.patch("pixledger._transport.time.sleep", pauses.append), mock.patch("random.random", lambda: 1.0):
            with Stub(json_answer(b"{}", "503 Busy")) as stub, self.assertRaises(ApiError):
                client_of(stub, retries=8).store.get()
        self.assertEqual(pauses, [0.25, 0.5, 1, 2, 4, 8, 8, 8])

    def test_no_proxy_of_the_environment_is_used(self) -> None:
        proxies = {name: "http://127.0.0.1:1" for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy")}
        with mock.patch.dict(os.environ, {**proxies, "no_proxy": ""}), Stub(json_answer()) as stub:
            self.assertEqual(client_of(stub).store.get(), {"id": "c1"})

    def test_a_host_without_an_answering_address_is_an_error(self) -> None:
        client = PixledgerClient("sk_test_x", "https://name.invalid", retries=0)
        with self.assertRaises(ApiConnectionError):
            client.store.get()

    def test_other_addresses_of_a_host_are_tried(self) -> None:
        with Stub(json_answer()) as stub:
            port = int(stub.url.rsplit(":", 1)[1])
            found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", each)) for each in (1, port)]
            with mock.patch("socket.getaddrinfo", lambda *_, **__: found):
                self.assertEqual(client_of(stub).store.get(), {"id": "c1"})


class Tls(unittest.TestCase):
    """Certificates that are wrong are among the vectors."""

    folder: "tempfile.TemporaryDirectory[str]"
    certificate: str
    context: ssl.SSLContext

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        key, cls.certificate = (str(Path(cls.folder.name) / name) for name in ("key.pem", "cert.pem"))
        command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost"
        files = ["-keyout", key, "-out", cls.certificate, "-addext", "subjectAltName=IP:127.0.0.1"]
        subprocess.run([*command.split(), *files], check=True, capture_output=True)
        cls.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        cls.context.load_cert_chain(cls.certificate, key)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def served(self, handler: Handler, timeout: float = 5) -> PixledgerClient:
        """A client of a server for one connection."""
        listener = socket.create_server(("127.0.0.1", 0))

        def serve() -> None:
            with listener, listener.accept()[0] as plain:
                try:
                    with self.context.wrap_socket(plain, server_side=True) as connection:
                        read_request(connection)
                        handler(connection)
                except OSError:
                    pass  # the client has left

        threading.Thread(target=serve, daemon=True).start()
        url = f"https://127.0.0.1:{listener.getsockname()[1]}"
        return PixledgerClient("sk_test_x", url, retries=0, timeout=timeout, ca_file=self.certificate)

    def test_an_answer(self) -> None:
        self.assertEqual(self.served(json_answer()).store.get(), {"id": "c1"})

    def test_a_trickle(self) -> None:
        started = time.monotonic()
        with self.assertRaises(ApiTimeoutError):
            self.served(trickle(HEAD + b"Content-Length: 900\r\n\r\n", b" "), timeout=0.4).store.get()
        self.assertLess(time.monotonic() - started, 1.5)

    def test_a_body_that_is_cut_without_an_end_of_the_encryption(self) -> None:
        def cut(connection: socket.socket) -> None:
            connection.sendall(HEAD + b"Content-Length: 900\r\n\r\n{")
            connection.shutdown(socket.SHUT_RDWR)

        with self.assertRaises(ApiConnectionError):
            self.served(cut).store.get()

    def test_a_ca_file_that_is_missing_is_found_at_once(self) -> None:
        with self.assertRaises(OSError):
            PixledgerClient("sk_test_x", "https://127.0.0.1", ca_file="/nowhere")


if __name__ == "__main__":
    unittest.main()
