"""Usage: run.py BINARIES small|full|churn|kills [--sanitized] [--seconds N] [--only TEXT]

Starts real servers and lets rude clients at them, beside a normal one that asks once every 100 ms: none of its requests
may fail, the server's memory stays bounded, and its descriptors come back.

  small   all kinds at once, a few hundred connections, a few seconds
  full    one kind after the other, thousands; slowhttptest directly and through the proxies' examples
  churn   ten minutes of coming and going: memory and descriptors stay flat
  kills   SIGTERM and SIGKILL under 5,000 connections

--seconds is how long each takes, --only the attacks whose name has that text. --sanitized leaves memory out, and what is
fetched for tests of the package. Prints a line an attack; what is wrong is on stderr, and the exit code 1.
"""
import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import attacks
from service import HERE, Helper, a_service, await_that

ROOT = HERE.parent.parent
UNPACKED = ROOT / "build" / "unpacked"
CREATES_MAX = 20_000
CHURN_KIB_MORE = 16 * 1024
TERM_S = 15  # ten of its own, and a busy machine's


class Run:
    def __init__(self, arguments):
        self.binaries = arguments.binaries
        self.has_memory = not arguments.sanitized
        self.has_tools = not arguments.sanitized
        self.text = arguments.only
        self.seconds = arguments.seconds
        self.wrong = 0

    def wants(self, name):
        return self.text in name

    def fail(self, name, problem):
        self.wrong += 1
        print(f"WRONG {name}: {problem}", file=sys.stderr, flush=True)

    def tell(self, name, **figures):
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in figures.items()), flush=True)


class Creations:
    """Creates charges, one after the other, until it is told to stop; remembers those that were acknowledged."""

    def __init__(self, service, prefix):
        self.service, self.prefix = service, prefix
        self.ids, self.is_over = [], False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        for number in range(CREATES_MAX):
            if self.is_over:
                return
            with contextlib.suppress(OSError, ValueError):
                self.ids.append(self.service.create(f"{self.prefix}-{number}"))

    def stop(self):
        self.is_over = True
        self.thread.join()
        return self.ids


def watch(service, seconds, is_done=lambda: False):
    """The most memory, and the most descriptors, that the server has until then."""
    end, kib, descriptors = time.monotonic() + seconds, service.resident_kib(), service.descriptors()
    while time.monotonic() < end and not is_done():
        kib, descriptors = max(kib, service.resident_kib()), max(descriptors, service.descriptors())
        time.sleep(0.2)
    return kib, descriptors


def judge_probe(run, name, probe, fills_up):
    failures = [each for each in probe["failures"] if not (fills_up and each == "new: 503")]
    if failures or probe["asked"] == 0 or probe["failed"] > len(probe["failures"]):
        run.fail(name, f"{probe['failed']} of {probe['asked']} normal requests failed: {failures[:5]}")


def attack(run, service, kinds, name=None):
    """Lets crowds of all those kinds at a server, and a normal client beside them."""
    name = name or kinds[0].name
    before, descriptors = service.resident_kib(), service.descriptors()
    probe = Helper("probe.py", service.port, f"/api/transactions/{service.charge}", service.key,
                   *([service.certificate()] if service.certificate() else []))
    crowds = [[Helper("crowd.py", json.dumps({"port": service.port, **options})) for options in kind.crowds]
              for kind in kinds]
    for helper in sum(crowds, []):
        helper.first_line()
    creations = Creations(service, name) if any(kind.creates for kind in kinds) else None
    connections = sum(kind.connections for kind in kinds)
    most, held = watch(service, max(kind.seconds for kind in kinds))
    if all(kind.must_be_dropped for kind in kinds):
        if held < descriptors + connections:
            run.fail(name, f"the server took {held - descriptors} of {connections} connections")
        with contextlib.suppress(AssertionError):
            # Two of the normal client, one of whoever creates.
            await_that("descriptors", lambda: service.descriptors() <= descriptors + 3)
        left = service.descriptors() - descriptors
        if left > 3:
            run.fail(name, f"{left} descriptors are held by clients who do not read")
    if creations:
        creations.stop()
    for kind, helpers in zip(kinds, crowds):
        told = [helper.result() for helper in helpers]
        for problem in kind.judge(told):
            run.fail(kind.name, problem)
        reached = sum(crowd["opened"] - crowd["unconnected"] for crowd in told)
        if reached < kind.connections:
            run.fail(kind.name, f"only {reached} of {kind.connections} connected")
        run.tell(f"  {kind.name}", **{key: sum(crowd[key] for crowd in told) for key in
                                      ("opened", "open", "ended", "answered")}, statuses=[c["statuses"] for c in told])
    told = probe.result()
    judge_probe(run, name, told, any(kind.fills_up for kind in kinds))
    settle(run, service, name, descriptors)
    if run.has_memory and most > attacks.memory_bound_kib(before, connections):
        run.fail(name, f"{(most - before) // 1024} MiB more resident with {connections} connections")
    run.tell(name, asked=told["asked"], failed=told["failed"], p50=told["p50"], p99=told["p99"], max=told["max"],
             MiB=f"{before // 1024}, at most {most // 1024}, then {service.resident_kib() // 1024}")


def settle(run, service, name, descriptors):
    with contextlib.suppress(AssertionError):
        await_that("descriptors", lambda: service.descriptors() <= descriptors)
    if service.descriptors() > descriptors:
        run.fail(name, f"{service.descriptors()} descriptors, {descriptors} before")


def small(run):
    with a_service(run.binaries) as service:
        seconds = run.seconds or 4
        attack(run, service, [
            attacks.slow_heads(service, 50, seconds), attacks.slow_bodies(service, 50, seconds),
            attacks.sleeping_readers(service, 100, seconds), attacks.kept_callers(service, 100, seconds),
            attacks.pipelined(service, 2, seconds, 1_000), attacks.long_heads(service, 5, seconds),
            attacks.burst(service, 400, seconds)], "a few hundred rude clients")
        attack(run, service, [attacks.sleeping_streams(service, 50, 2)])
    tls(run, 100, 1)
    terminate(run, 300)
    kill(run, 300)


def full(run):
    with a_service(run.binaries) as service:
        seconds = run.seconds or 15
        kinds = [
            attacks.slow_heads(service, 1_000, seconds), attacks.slow_bodies(service, 1_000, 2 * seconds),
            attacks.sleeping_readers(service, 256, seconds), attacks.sleeping_readers(service, 5_000, seconds),
            attacks.dropped_readers(service, 1_000, 3), attacks.kept_callers(service, 1_000, seconds),
            attacks.burst(service, 20_000, seconds), attacks.pipelined(service, 20, seconds, 10_000),
            attacks.long_heads(service, 100, seconds), attacks.sleeping_streams(service, 1_000, 3)]
        for kind in kinds:
            if run.wants(kind.name):
                attack(run, service, [kind])
        if run.has_tools:
            for proxy in (None, "haproxy", "nginx"):
                slow_tool(run, service, proxy, seconds)
    if run.wants("TLS"):
        tls(run, 1_000, run.seconds or 15)


def tls(run, count, seconds):
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Path(folder) / "certificate.pem", Path(folder) / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                        "-keyout", key, "-out", certificate], check=True, capture_output=True)
        options = ["--tls-cert", str(certificate), "--tls-key", str(key)]
        with a_service(run.binaries, options) as service:
            attack(run, service, [attacks.half_open_tls(service, count, seconds)])


# slowhttptest's own attacks: slow heads, slow bodies, ranges, slow reading.
SLOW = {"-H": ["-i", "5", "-x", "24"], "-B": ["-i", "5", "-s", "8192", "-x", "10"], "-R": ["-a", "10", "-b", "3000"],
        "-X": ["-w", "512", "-y", "1024", "-n", "5", "-z", "32", "-k", "3"]}


def slow_tool(run, service, proxy, seconds):
    if not any(run.wants(f"slowhttptest {mode}") for mode in SLOW):
        return
    with contextlib.ExitStack() as stack:
        port, certificate = service.port, None
        if proxy:
            port, certificate = stack.enter_context(a_proxy(service, proxy))
        for mode, options in SLOW.items():
            if run.wants(f"slowhttptest {mode}"):
                slow_mode(run, service, mode, options, seconds, port, certificate, proxy)


@contextlib.contextmanager
def a_proxy(service, kind):
    folder = service.work / kind
    folder.mkdir(mode=0o755)
    service.work.chmod(0o755)  # nginx's workers are of another user
    with open(folder / "output.log", "w") as log:
        process = subprocess.Popen([ROOT / "tests/packaging/run_example", kind, folder, str(service.port)],
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        port_file = folder / "tls-port"
        await_that(kind, lambda: port_file.exists() and port_file.read_text().strip())
        time.sleep(1)  # until it listens; the normal client fails else
        yield int(port_file.read_text()), folder / "certificate.pem"
    finally:
        process.terminate()
        process.wait()


def slow_mode(run, service, mode, options, seconds, port, certificate, proxy):
    name = f"slowhttptest {mode}" + (f" through {proxy}" if proxy else "")
    before, descriptors = service.resident_kib(), service.descriptors()
    path = "/api/v1/transactions" if mode == "-B" else "/openapi.json"
    probe = Helper("probe.py", port, f"/api/transactions/{service.charge}", service.key,
                   *([certificate] if certificate else []))
    scheme = "https" if certificate else "http"
    tool = subprocess.Popen(
        [UNPACKED / "usr/bin/slowhttptest", mode, "-c", "1000", "-r", "500", "-l", str(seconds), "-p", "10",
         "-u", f"{scheme}://127.0.0.1:{port}{path}", *options],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most, _ = watch(service, 3 * seconds + 30, lambda: tool.poll() is not None)
    if tool.poll() is None:
        tool.kill()
        run.fail(name, "slowhttptest did not end")
    tool.wait()
    told = probe.result()
    judge_probe(run, name, told, False)
    settle(run, service, name, descriptors)
    if run.has_memory and most > attacks.memory_bound_kib(before, 1_000):
        run.fail(name, f"{(most - before) // 1024} MiB more resident")
    run.tell(name, asked=told["asked"], failed=told["failed"], p50=told["p50"], p99=told["p99"], max=told["max"],
             MiB=f"{before // 1024}, at most {most // 1024}")


def churn(run):
    """Memory after the first fifth, when all that is kept is there, against memory at the end."""
    seconds = run.seconds or 600
    with a_service(run.binaries) as service:
        attack(run, service, [attacks.churn(service, 200, seconds // 5)])
        early = service.resident_kib()
        attack(run, service, [attacks.churn(service, 200, seconds - seconds // 5)])
        late = service.resident_kib()
        run.tell("churn", MiB=f"{early // 1024}, then {late // 1024}")
        if run.has_memory and late > early + CHURN_KIB_MORE:
            run.fail("churn", f"memory grew by {(late - early) // 1024} MiB")


def crowd_of_all(service, count):
    """Idle ones who had an answer, and a tenth each of those who do not read and whose heads are slow."""
    tenth = count // 10
    crowds = [
        {"count": count - 2 * tenth, "request": attacks.get(service, "/healthz", key=False), "reads": True,
         "sources": 1 + count // 500},
        {"count": tenth, "request": attacks.get(service, "/openapi.json", key=False), "receive_bytes": 2304,
         "first": 51},
        {"count": tenth, "request": attacks.head(service, "GET", "/healthz", "X-Slow: "), "drip": "a", "first": 61}]
    helpers = [Helper("crowd.py", json.dumps({"port": service.port, **options})) for options in crowds]
    for helper in helpers:
        helper.first_line()
    return helpers


def terminate(run, count):
    name = f"SIGTERM under {count} connections"
    with a_service(run.binaries) as service:
        helpers = crowd_of_all(service, count)
        began = time.monotonic()
        status = service.stop(TERM_S)
        told = [helper.result() for helper in helpers]
        if status != 0:
            run.fail(name, f"exit code {status}; none: it had to be killed")
        run.tell(name, seconds=round(time.monotonic() - began, 1), answered=told[0]["answered"])


def kill(run, count):
    name = f"kill -9 under {count} connections"
    with a_service(run.binaries) as service:
        helpers = crowd_of_all(service, count)
        creators = [Creations(service, f"killed-{number}") for number in range(4)]
        await_that("creations", lambda: all(len(creator.ids) >= 50 for creator in creators))
        service.kill()
        acknowledged = [each for creator in creators for each in creator.stop()]
        for helper in helpers:
            helper.result()
        verified = subprocess.run([service.binaries / "pixledger", "verify", "--data", service.data, "--map-size", "1GiB"],
                                  capture_output=True, text=True)
        if verified.returncode != 0:
            run.fail(name, f"verify: {verified.returncode} {verified.stdout}{verified.stderr}")
        service.start()
        lost = [each for each in acknowledged if service.status(f"/api/transactions/{each}") != 200]
        if lost:
            run.fail(name, f"{len(lost)} of {len(acknowledged)} acknowledged charges are lost: {lost[:3]}")
        run.tell(name, acknowledged=len(acknowledged), lost=len(lost))


def kills(run):
    terminate(run, 5_000)
    kill(run, 5_000)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries")
    parser.add_argument("scale", choices=["small", "full", "churn", "kills"])
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    run = Run(arguments)
    {"small": small, "full": full, "churn": churn, "kills": kills}[arguments.scale](run)
    if run.wrong:
        sys.exit(1)


main()
