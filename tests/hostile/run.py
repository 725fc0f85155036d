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
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import attacks
from beside import Creations, Run, attack
from service import Helper, a_service, await_that
from slow_tool import slow_tool

KIB_MORE_LATER = 16 * 1024  # where as much was done before
TERM_S = 15  # ten of its own, and a busy machine's


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
            attacks.one_address(service, 1_500, 1_000, 4), attacks.burst(service, 20_000, seconds),
            attacks.pipelined(service, 20, seconds, 10_000),
            attacks.long_heads(service, 100, seconds), attacks.sleeping_streams(service, 1_000, 3)]
        for kind in kinds:
            if run.wants(kind.name):
                attack(run, service, [kind])
        if run.wants("twice"):
            twice(run, service, seconds)
        if run.has_tools:
            for proxy in (None, "haproxy", "nginx"):
                slow_tool(run, service, proxy, seconds)
    if run.wants("TLS"):
        tls(run, 1_000, run.seconds or 15)


def twice(run, service, seconds):
    """What an attack leaves behind, the next one uses again."""
    left = []
    for turn in ("once", "twice"):
        attack(run, service, [attacks.sleeping_readers(service, 1_000, seconds)], f"1,000 callers who do not read, {turn}")
        left.append(service.own_kib())
    if run.has_memory and left[1] > left[0] + KIB_MORE_LATER:
        run.fail("twice", f"memory grew by {(left[1] - left[0]) // 1024} MiB")


def tls(run, count, seconds):
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Path(folder) / "certificate.pem", Path(folder) / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                        "-keyout", key, "-out", certificate], check=True, capture_output=True)
        options = ["--tls-cert", str(certificate), "--tls-key", str(key)]
        with a_service(run.binaries, options) as service:
            attack(run, service, [attacks.half_open_tls(service, count, seconds)])


def churn(run):
    """Memory after the first fifth, when all that is kept is there, against memory at the end."""
    seconds = run.seconds or 600
    with a_service(run.binaries) as service:
        attack(run, service, [attacks.churn(service, 200, seconds // 5)])
        early = service.own_kib()
        attack(run, service, [attacks.churn(service, 200, seconds - seconds // 5)])
        late = service.own_kib()
        run.tell("churn", MiB=f"{early // 1024}, then {late // 1024}")
        if run.has_memory and late > early + KIB_MORE_LATER:
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
        await_that("connections", lambda: helper.has_said("connected"))
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
