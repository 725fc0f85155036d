"""One HTTP request on a connection of its own, within a deadline for all of it."""

import http.client
import io
import ipaddress
import re
import socket
import ssl
import time
from typing import Any, List, NamedTuple, Optional, Tuple
from urllib.parse import urlsplit

from ._secret import Secret

PIECE_BYTES = 65536


class Deadline:
    """A point in time. `left` raises socket.timeout after it."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise socket.timeout("timed out")
        return seconds


class _Reader(io.RawIOBase):
    """What comes from a socket, until the deadline."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(self._deadline.left())
        return self._connection.recv_into(buffer)


class _Timed:
    """As much of a socket as http.client needs. A socket's own time-out is one of each call, however many it takes."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection = connection
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            self._connection.settimeout(self._deadline.left())
            view = view[self._connection.send(view) :]

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self._connection, self._deadline))

    def close(self) -> None:
        """The owner of the connection closes it."""


class Base(NamedTuple):
    """Where the API is."""

    secure: bool
    host: str
    port: int
    authority: str
    path: str


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def parse_base(address: Secret, allow_http: bool) -> Base:
    """Raises TypeError or ValueError. The address may contain a password."""
    if not isinstance(address.reveal(), str):
        raise TypeError("base_url must be a text")
    if re.search("[@?#]", address.reveal()):
        raise ValueError("base_url must have neither credentials nor query")
    base_url = address.reveal()
    if not re.fullmatch("[!-~]+", base_url):
        raise ValueError("base_url must be an address in ASCII, such as https://pay.example.com")
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in ("http", "https"):
        raise ValueError("base_url must be an address such as https://pay.example.com")
    secure = parts.scheme == "https"
    if not secure and not allow_http and not _is_loopback(host):
        raise ValueError("base_url must be https: the API key would travel in plain text (allow_http permits it)")
    return Base(secure, host, port or (443 if secure else 80), parts.netloc, parts.path.rstrip("/"))


def _connect(base: Base, deadline: Deadline) -> socket.socket:
    addresses = socket.getaddrinfo(base.host, base.port, type=socket.SOCK_STREAM)
    for at, (family, kind, protocol, _, address) in enumerate(addresses):
        connection = socket.socket(family, kind, protocol)
        try:
            # An address that does not answer leaves time for the others.
            connection.settimeout(deadline.left() / (len(addresses) - at))
            connection.connect(address)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        except BaseException as error:
            connection.close()
            if not isinstance(error, OSError) or at == len(addresses) - 1:
                raise
    raise OSError("the host has no address")


class Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    content: bytes


def exchange(
    base: Base,
    method: str,
    target: str,
    headers: List[Tuple[str, str]],
    body: Optional[bytes],
    tls: Optional[ssl.SSLContext],
    deadline: Deadline,
) -> Reply:
    """Raises OSError (socket.timeout after the deadline) and http.client.HTTPException."""
    connection = _connect(base, deadline)
    try:
        if tls:
            connection.settimeout(deadline.left())
            connection = tls.wrap_socket(connection, server_hostname=base.host)
        client = http.client.HTTPConnection(base.host, base.port)
        client.sock = _Timed(connection, deadline)
        client.putrequest(method, base.path + target, skip_host=True, skip_accept_encoding=True)
        client.putheader("Host", base.authority)
        client.putheader("Connection", "close")
        for name, value in headers:
            client.putheader(name, value)
        client.endheaders(body)
        response = client.getresponse()
        pieces = list(iter(lambda: response.read(PIECE_BYTES), b""))
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        return Reply(response.status, response.headers, b"".join(pieces))
    finally:
        connection.close()
