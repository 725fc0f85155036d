"""What rude clients do, and what must come of it."""
from dataclasses import dataclass, field
from typing import Callable, Optional

KIB_MORE = 64 * 1024      # own memory of the server while it is attacked …
KIB_A_CONNECTION = 16     # … and for each connection besides


@dataclass
class Attack:
    name: str
    crowds: list                       # options of crowd.py
    seconds: float
    judge: Callable = lambda told: []  # of what the crowds tell: what is wrong with it
    # Where the crowd takes all the room there is, a new connection may be told so: 503.
    fills_up: bool = False
    # The server must have ended all of it while the clients still hold on.
    must_be_dropped: bool = False
    creates_every_s: Optional[float] = None  # charges, so that there is something to read
    connections: int = field(init=False)

    def __post_init__(self):
        self.connections = sum(crowd["count"] for crowd in self.crowds)


def head(service, method, path, *lines, key=True):
    lines = ["Host: localhost", *([f"Authorization: Bearer {service.key}"] if key else []), *lines]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines])


def get(service, path, *lines, key=True):
    return head(service, "GET", path, *lines, key=key) + "\r\n\r\n"


def only(*statuses):
    def judge(told):
        odd = {status for crowd in told for status in crowd["statuses"]} - set(statuses)
        return [f"answers with {sorted(odd)}"] if odd else []
    return judge


def slow_heads(service, count, seconds):
    return Attack("heads that come by a byte a second", [
        {"count": count, "request": head(service, "GET", "/healthz", "X-Slow: "), "drip": "a", "reopens": True}], seconds)


def slow_bodies(service, count, seconds):
    start = head(service, "POST", "/api/v1/transactions", "Content-Type: application/json", "Content-Length: 4000")
    return Attack("bodies that come by a byte a second", [
        {"count": count, "request": start + "\r\n\r\n", "drip": " ", "reopens": True}], seconds)


def sleeping_readers(service, count, seconds):
    return Attack(f"{count} callers who do not read /openapi.json", [
        {"count": count, "request": get(service, "/openapi.json", key=False), "receive_bytes": 2304, "reopens": True,
         "sources": 4 + count // 500}], seconds)


def dropped_readers(service, count, seconds):
    """What was on its way to them is dropped with them: else the system keeps it for minutes."""
    def judge(told):
        left = count - told[0]["ended"]
        return [f"{left} do not know of their end, and the system keeps what they were sent"] if left else []
    return Attack(f"{count} callers who never read /openapi.json", [
        {"count": count, "request": get(service, "/openapi.json", key=False), "receive_bytes": 2304,
         "sources": 1 + count // 500}], seconds, judge, must_be_dropped=True)


def kept_callers(service, count, seconds):
    def judge(told):
        wrong = only("200")(told)
        if told[0]["answered"] < count:
            wrong.append(f"only {told[0]['answered']} of {count} got an answer")
        if told[0]["ended"]:
            wrong.append(f"{told[0]['ended']} were ended")
        return wrong
    return Attack(f"{count} callers who keep their connections", [
        {"count": count, "request": get(service, f"/api/transactions/{service.charge}"), "reads": True, "again_s": 1,
         "a_second": 1_000}], seconds, judge)


def one_address(service, count, most, seconds):
    """A connection over the address's limit is refused with that reason, or replaces an idle one."""
    def judge(told):
        wrong = only("200", "503")(told)
        if told[0]["open"] > most:
            wrong.append(f"{told[0]['open']} are open, and {most} may be")
        if told[0]["answered"] < most:
            wrong.append(f"only {told[0]['answered']} had an answer")
        return wrong
    return Attack(f"{count} connections of one address", [
        {"count": count, "request": get(service, "/healthz", key=False), "reads": True}], seconds, judge)


def burst(service, count, seconds):
    crowd = {"count": count // 2, "request": get(service, "/healthz", key=False), "reads": True, "sources": 25,
             "a_second": 1_000_000}
    return Attack(f"{count} connections in a burst", [crowd, {**crowd, "first": 101}], seconds, only("200", "503"),
                  fills_up=count > 10_000)


def pipelined(service, count, seconds, times):
    request = {"request": get(service, "/healthz", key=False), "times": times, "sources": 2}

    def judge(told):
        wrong = only("200")(told)
        answers = told[0]["statuses"].get("200", 0)
        if answers != count * times:
            wrong.append(f"{answers} answers to {count * times} requests")
        return wrong
    return Attack(f"{times} requests at once on each connection", [
        {**request, "count": count, "reads": True, "answers": count * times},
        {**request, "count": count, "reopens": True, "receive_bytes": 2304}],
        seconds, judge)


def long_heads(service, count, seconds):
    return Attack("heads of 10,000 lines", [
        {"count": count, "request": head(service, "GET", "/healthz", *["X: y"] * 10_000) + "\r\n\r\n", "reads": True,
         "reopens": True, "a_second": 200}], seconds, only("431"))


def sleeping_streams(service, count, seconds):
    # With a live key, since those of the sandbox may have half of a project's streams.
    stream = f"Authorization: Bearer {service.live_key}", "Accept: text/event-stream"
    return Attack(f"{count} streams whose readers sleep", [
        {"count": count, "request": get(service, "/api/v1/events", *stream, key=False), "receive_bytes": 2304}], seconds,
                  must_be_dropped=True, creates_every_s=0)


def half_open_tls(service, count, seconds):
    # The first bytes of a ClientHello that announces 512.
    beginning = "16030102000100" + "01fc0303" + "00" * 32
    return Attack("TLS handshakes that stop", [
        {"count": count // 2, "reopens": True},
        {"count": count // 2, "request_hex": beginning, "reopens": True, "first": 11}], seconds)


def churn(service, count, seconds):
    return Attack(f"{seconds} s of coming and going", [
        {"count": count, "request": get(service, f"/api/transactions/{service.charge}"), "reads": True, "closes": True,
         "reopens": True, "a_second": 200},
        {"count": count, "request": get(service, "/openapi.json", key=False), "receive_bytes": 2304, "reopens": True,
         "first": 11},
        {"count": count, "request": head(service, "GET", "/healthz", "X-Slow: "), "drip": "a", "reopens": True,
         "first": 21},
        {"count": count, "request": get(service, "/api/v1/events", "Accept: text/event-stream"), "reopens": True,
         "receive_bytes": 2304, "first": 31, "a_second": 50}], seconds, creates_every_s=0.2)


def memory_bound_kib(before_kib, connections):
    return before_kib + KIB_MORE + KIB_A_CONNECTION * connections
