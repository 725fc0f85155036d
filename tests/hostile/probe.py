"""Usage: probe.py PORT PATH KEY [CERTIFICATE]

A normal client: asks once every 100 ms until stdin ends, in turns on a connection that it keeps, and on a new one; over TLS
where there is a certificate. It comes from 127.0.0.2. Then tells as JSON how many were asked, which failed, and the
percentiles of the time from when each was due, in milliseconds.
"""
import json
import select
import socket
import ssl
import sys
import time

PORT, PATH, KEY = int(sys.argv[1]), sys.argv[2], sys.argv[3]
CONTEXT = ssl.create_default_context(cafile=sys.argv[4]) if len(sys.argv) > 4 else None
EVERY_S = 0.1
TIMEOUT_S = 10
FAILURES_MAX = 20  # that are told


def connect():
    connection = socket.create_connection(("127.0.0.1", PORT), timeout=TIMEOUT_S, source_address=("127.0.0.2", 0))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return CONTEXT.wrap_socket(connection, server_hostname="localhost") if CONTEXT else connection


def ask(connection, keep):
    """The answer's status, and whether the connection may be used again."""
    connection.sendall(
        f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {KEY}\r\n"
        f"Connection: {'keep-alive' if keep else 'close'}\r\n\r\n".encode())
    text = b""
    while b"\r\n\r\n" not in text:
        part = connection.recv(65536)
        if not part:
            raise ConnectionError(f"ended after {len(text)} bytes of an answer")
        text += part
    head, _, body = text.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    length = next(int(line[15:]) for line in lines if line.startswith(b"content-length:"))
    while len(body) < length:
        part = connection.recv(65536)
        if not part:
            raise ConnectionError(f"ended after {len(body)} of {length} bytes")
        body += part
    return int(head[9:12]), b"connection: close" not in lines


def is_over(connection):
    """Whether the server has ended it meanwhile, as it may while nothing is asked."""
    return bool(select.select([connection], [], [], 0)[0])


def main():
    kept, asked, failures, times = None, 0, [], []
    due = time.monotonic()
    while True:
        due += EVERY_S
        if select.select([sys.stdin], [], [], max(0.0, due - time.monotonic()))[0]:
            break
        keep, connection = asked % 2 == 0, None
        asked += 1
        try:
            if keep and kept and is_over(kept):
                kept.close()
                kept = None
            connection = kept if keep and kept else connect()
            status, reusable = ask(connection, keep)
            if status != 200:
                failures.append(f"{'kept' if keep else 'new'}: {status}")
            if keep and reusable:
                kept, connection = connection, None
            elif keep:
                kept = None
        except (OSError, StopIteration, ValueError) as error:
            failures.append(f"{'kept' if keep else 'new'}: {type(error).__name__}: {error}")
            if keep:
                kept = None
        if connection:
            connection.close()
        times.append((time.monotonic() - due) * 1000)
        due = max(due, time.monotonic() - TIMEOUT_S)
    times.sort()
    at = lambda share: round(times[min(len(times) - 1, int(len(times) * share))], 1) if times else None
    print(json.dumps({"asked": asked, "failed": len(failures), "failures": failures[:FAILURES_MAX],
                      "p50": at(0.5), "p99": at(0.99), "max": times and round(times[-1], 1)}))


main()
