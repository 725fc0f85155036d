"""Usage: address_limits.py haproxy|nginx TLS_PORT CERTIFICATE KEY...

Whether a proxy as in the example holds an address to its limits, and lets others be. Requests come from addresses of
127.0.0.0/8.
"""
import json
import socket
import ssl
import sys
import time

KIND, PORT, CERTIFICATE, KEYS = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
CONNECTIONS = 100
AT_ONCE = 200
FEEDS = 20
RESERVE = 2_700  # requests that an address may send in no time
CONTEXT = ssl.create_default_context(cafile=CERTIFICATE)


def connect(source):
    return socket.create_connection(("127.0.0.1", PORT), timeout=20, source_address=(source, 0))


def tls_from(source):
    return CONTEXT.wrap_socket(connect(source), server_hostname="localhost")


def get(path, *headers):
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


def statuses(source, count, path="/readyz"):
    """Status and Retry-After lines of so many requests on a connection of that address; none where it is closed at once."""
    found, text = [], b""
    try:
        with tls_from(source) as tls:
            tls.sendall(get(path) * count)
            while sum(b"http/1.1 " in line for line in found) < count:
                part = tls.recv(65536)
                if not part:
                    break
                text += part.lower()
                *lines, text = text.split(b"\r\n")
                # A status line comes right behind the text before it.
                found += [line for line in lines if b"http/1.1 " in line or line.startswith(b"retry-after")]
    except OSError:
        pass
    return found


def until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def is_full_of_connections():
    held = [connect("127.0.0.3") for _ in range(CONNECTIONS)]
    try:
        return statuses("127.0.0.3", 1) == [] and statuses("127.0.0.4", 1) != []
    finally:
        for each in held:
            each.close()


def answer(source, request):
    """Returns the whole answer, or b"waits" if none comes within two seconds."""
    with tls_from(source) as tls:
        tls.settimeout(2)
        tls.sendall(request)
        text = b""
        try:
            while b"\r\n\r\n" not in text:
                part = tls.recv(65536)
                if not part:
                    return text
                text += part
            return text
        except TimeoutError:
            return b"waits"


def full_of(requests, path):
    """None if one more such request is refused, while others and those of other addresses go on; else what came."""
    held = []
    try:
        for request in requests:
            held.append(tls_from("127.0.0.6"))
            held[-1].sendall(request)
        got = [answer(source, request)[:12] for source, request in
               (("127.0.0.6", requests[0]), ("127.0.0.7", requests[0]), ("127.0.0.7", get(path)))]
        wanted = b" 429" in got[0] and b" 429" not in got[1] and b" 200" in got[2]
        return None if wanted else got
    finally:
        for each in held:
            each.close()


def until_full_of(requests, path):
    end = time.monotonic() + 60
    while got := full_of(requests, path):
        assert time.monotonic() < end, f"{len(requests)} of {requests[0][:60]} at once, and here, elsewhere, {path}: {got}"


def bearer(key):
    return f"Authorization: Bearer {key}"


if KIND == "haproxy":
    until(is_full_of_connections)  # at the first try, where the machine is not slower than the proxy's patience
    until(lambda: statuses("127.0.0.3", 1) != [])
else:
    until_full_of([get("/api/v1/store", bearer(KEYS[0]), "Content-Length: 5")] * AT_ONCE, "/readyz")

# Of several projects, since the server itself lets few of one wait.
for feed in ("/api/v1/events", "/api/v1/events/"):
    waits = []
    for key in KEYS:
        page = answer("127.0.0.7", get(feed, bearer(key), "Connection: close"))
        cursor = json.loads(page[page.index(b"{"):])["meta"]["next"]
        waits.append(get(f"{feed}?wait=20&after={cursor}", bearer(key)))
    until_full_of((waits * FEEDS)[:FEEDS], "/readyz")
    until(lambda: b" 200 " in answer("127.0.0.6", get("/api/v1/events", bearer(KEYS[0]))))

taken, answers = 0, []
while not any(b" 429" in line for line in answers):
    answers = statuses("127.0.0.5", 100, "/metrics")
    taken += sum(b" 403" in line for line in answers)
    assert taken < 20_000, f"{taken} requests were taken"
assert taken >= RESERVE, f"only {taken} requests were taken"
assert b"retry-after: 10" in answers, answers[-4:]
assert statuses("127.0.0.8", 1) != [], "an address pays for another's requests"
