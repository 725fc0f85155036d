"""Usage: crowd.py JSON

Many rude clients in one process, until stdin ends; then tells as JSON what came of them. What they are like:

  port           where they connect to on 127.0.0.1
  certificate    they speak TLS and trust it
  count          how many connections are held at once
  first, sources their addresses: so many of 127.1.0.0/16, from the first on
  request, times what each sends first, and how many times; request_hex where it is no text
  drip           what each sends then, a byte a second
  again_s        after so many seconds, each sends its request again, if it has had an answer
  reads          whether they read what comes
  reopens        whether those that are ended come again
  closes         whether they hang up after their first answer
  receive_bytes  the size of their receive buffers; small ones make small windows
  a_second       how many connect a second at most

  answers        how many they wait for, of all together

"connected" is printed once all have connected, "answered" once they had so many answers, and "ended" once as many as are
held at once have been ended.
"""
import errno
import json
import re
import resource
import select
import socket
import ssl
import sys
import time

STATUS = re.compile(rb"HTTP/1\.1 ([0-9]{3})")
STATUS_BYTES = 12
CONNECTS_AT_ONCE = 200
HANDSHAKE_S = 10


class Client:
    def __init__(self, connection, request):
        self.socket = connection
        self.to_send = memoryview(request)
        self.tail = b""
        self.answers = 0
        self.dripped = 0
        self.asked_at = 0.0


class Crowd:
    def __init__(self, options):
        self.port = options["port"]
        self.count = options["count"]
        certificate = options.get("certificate")
        self.context = ssl.create_default_context(cafile=certificate) if certificate else None
        self.first = options.get("first", 1)
        self.sources = options.get("sources", 1)
        self.request = options.get("request", "").encode() * options.get("times", 1)
        self.request += bytes.fromhex(options.get("request_hex", ""))
        self.drip = options.get("drip", "").encode()
        self.again_s = options.get("again_s")
        self.reads = options.get("reads", False)
        self.reopens = options.get("reopens", False)
        self.closes = options.get("closes", False)
        self.receive_bytes = options.get("receive_bytes")
        self.answers = options.get("answers")
        self.a_second = options.get("a_second", 2_000)
        self.epoll = select.epoll()
        self.clients = {}
        self.statuses = {}
        self.opened = self.ended = self.unconnected = self.answered = 0

    def open_one(self):
        connection = socket.socket()
        connection.setblocking(False)
        if self.receive_bytes:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_bytes)
        number = self.first + self.opened % self.sources
        try:
            connection.bind((f"127.1.{number // 250}.{number % 250 + 1}", 0))
        except OSError:
            connection.close()
            self.unconnected += 1
            return
        self.opened += 1
        try:
            connection = self.connected(connection)
        except OSError:
            connection.close()
            self.unconnected += 1
            return
        client = Client(connection, self.request)
        self.clients[connection.fileno()] = client
        self.epoll.register(connection.fileno(), select.EPOLLOUT | select.EPOLLRDHUP | self.wanted())

    def connected(self, connection):
        """Under way, or with TLS through its handshake."""
        if not self.context:
            code = connection.connect_ex(("127.0.0.1", self.port))
            if code not in (0, errno.EINPROGRESS):
                raise OSError(code, "cannot connect")
            return connection
        connection.settimeout(HANDSHAKE_S)
        connection.connect(("127.0.0.1", self.port))
        connection = self.context.wrap_socket(connection, server_hostname="localhost")
        connection.setblocking(False)
        return connection

    def wanted(self):
        return select.EPOLLIN if self.reads else 0

    def end(self, client):
        del self.clients[client.socket.fileno()]
        self.epoll.unregister(client.socket.fileno())
        client.socket.close()

    def write(self, client):
        client.asked_at = client.asked_at or time.monotonic()
        try:
            while client.to_send:
                client.to_send = client.to_send[client.socket.send(client.to_send[:65536]):]
        except (BlockingIOError, ssl.SSLWantWriteError):
            return
        self.epoll.modify(client.socket.fileno(), select.EPOLLRDHUP | self.wanted())

    def read(self, client):
        """False when nothing more comes."""
        try:
            part = client.socket.recv(262144)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        text = client.tail + part
        for status in STATUS.findall(text):
            self.statuses[status.decode()] = self.statuses.get(status.decode(), 0) + 1
            self.answered += client.answers == 0
            client.answers += 1
        # No status is counted twice: what is left is shorter than one, or has none.
        client.tail = text[-(STATUS_BYTES - 1):] if not STATUS.search(text[-(STATUS_BYTES - 1):]) else b""
        return part != b"" and not (self.closes and client.answers)

    def step(self, client, events):
        try:
            if events & select.EPOLLOUT:
                self.write(client)
            if events & select.EPOLLIN and not self.read(client):
                self.ended += not self.closes
                self.end(client)
            elif events & (select.EPOLLERR | select.EPOLLHUP) or events & select.EPOLLRDHUP and not self.reads:
                self.ended += 1
                self.end(client)
        except OSError:
            self.ended += 1
            self.end(client)

    def every_second(self, now):
        for client in list(self.clients.values()):
            if self.drip and not client.to_send:
                at = client.dripped % len(self.drip)
                client.dripped += 1
                client.to_send = memoryview(self.drip[at:at + 1])
            elif self.again_s and client.answers and not client.to_send and now - client.asked_at >= self.again_s:
                client.asked_at = now
                client.to_send = memoryview(self.request)
            else:
                continue
            self.epoll.modify(client.socket.fileno(), select.EPOLLOUT | select.EPOLLRDHUP | self.wanted())

    def run(self):
        self.epoll.register(sys.stdin.fileno(), select.EPOLLIN | select.EPOLLHUP)
        allowance, last, second = 0.0, time.monotonic(), time.monotonic()
        told = []
        while True:
            now = time.monotonic()
            allowance = min(allowance + (now - last) * self.a_second, CONNECTS_AT_ONCE)
            last = now
            while allowance >= 1 and len(self.clients) < self.count and (self.reopens or self.opened < self.count):
                self.open_one()
                allowance -= 1
            for descriptor, events in self.epoll.poll(0.01, 1024):
                if descriptor == sys.stdin.fileno():
                    return
                if descriptor in self.clients:
                    self.step(self.clients[descriptor], events)
            if now - second >= 1:
                second = now
                self.every_second(now)
            for what, is_so in (("connected", self.opened >= self.count),
                                ("answered", self.answers and sum(self.statuses.values()) >= self.answers),
                                ("ended", self.ended >= self.count)):
                if is_so and what not in told:
                    told.append(what)
                    print(what, flush=True)

    def told(self):
        return {"opened": self.opened, "open": len(self.clients), "ended": self.ended, "unconnected": self.unconnected,
                "answered": self.answered, "statuses": self.statuses}


def main():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    crowd = Crowd(json.loads(sys.argv[1]))
    crowd.run()
    print(json.dumps(crowd.told()), flush=True)


main()
