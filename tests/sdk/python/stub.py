"""A server that sends raw bytes, so that it can break the rules of HTTP."""

import socket
import threading
from types import TracebackType
from typing import Callable, List, Optional, Type

Handler = Callable[[socket.socket], None]


def read_request(connection: socket.socket) -> bytes:
    """The head of a request, and as much of its body as comes with it."""
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(65536)
        if not piece:
            break
        received += piece
    return received


def answer(content: bytes) -> Handler:
    return lambda connection: connection.sendall(content)


STORE = b'{"success":true,"data":{"id":"c1"}}'


def json_answer(content: bytes = STORE, status: str = "200 OK", head: str = "") -> Handler:
    return answer(f"HTTP/1.1 {status}\r\nContent-Length: {len(content)}\r\n{head}\r\n".encode() + content)


class Stub:
    """Each connection is for the next handler, the last one for all that follow."""

    def __init__(self, *handlers: Handler) -> None:
        self._handlers = handlers
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.requests: List[bytes] = []
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                self.requests.append(read_request(connection))
                self._handlers[min(len(self.requests), len(self._handlers)) - 1](connection)
            except OSError:
                pass  # the client has left

    def __enter__(self) -> "Stub":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self._listener.close()
