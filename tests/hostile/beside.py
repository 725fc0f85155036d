"""An attack, a normal client beside it, and what must hold."""
import contextlib
import json
import sys
import threading
import time

import attacks
from service import Helper, await_that

CREATES_MAX = 20_000
TOLD_S = 2  # to those whom the server has ended: at once


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
    """Creates charges, one after the other, until it is stopped; records those that were acknowledged."""

    def __init__(self, service, prefix, every_s=0.0):
        self.service, self.prefix, self.every_s = service, prefix, every_s
        self.ids, self.is_over = [], False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        for number in range(CREATES_MAX):
            if self.is_over:
                return
            with contextlib.suppress(OSError, ValueError):
                self.ids.append(self.service.create(f"{self.prefix}-{number}"))
            time.sleep(self.every_s)

    def stop(self):
        self.is_over = True
        self.thread.join()
        return self.ids


def watch(service, seconds, is_done=lambda: False):
    """The most memory, and the most descriptors, that the server has until then."""
    end, kib, descriptors = time.monotonic() + seconds, service.own_kib(), service.descriptors()
    while time.monotonic() < end and not is_done():
        kib, descriptors = max(kib, service.own_kib()), max(descriptors, service.descriptors())
        time.sleep(0.2)
    return kib, descriptors


def judge_probe(run, name, probe, fills_up):
    failures = [each for each in probe["failures"] if not (fills_up and each == "new: 503")]
    if failures or probe["asked"] == 0 or probe["failed"] > len(probe["failures"]):
        run.fail(name, f"{probe['failed']} of {probe['asked']} normal requests failed: {failures[:5]}")


def attack(run, service, kinds, name=None, port=None, certificate=None):
    """Lets crowds of all those kinds at a server, or at a proxy before it, and a normal client beside them."""
    name = name or kinds[0].name
    before, descriptors = service.own_kib(), service.descriptors()
    port, trusted = port or service.port, certificate or service.certificate()
    probe = Helper("probe.py", port, f"/api/transactions/{service.charge}", service.key, *([trusted] if trusted else []))
    common = {"port": port, **({"certificate": str(certificate)} if certificate else {})}
    crowds = [[Helper("crowd.py", json.dumps({**common, **options})) for options in kind.crowds]
              for kind in kinds]
    for helper in sum(crowds, []):
        await_that("connections", lambda: helper.has_said("connected"))
    paces = [kind.creates_every_s for kind in kinds if kind.creates_every_s is not None]
    creations = Creations(service, name, min(paces)) if paces else None
    connections = sum(kind.connections for kind in kinds)
    most, held = watch(service, max(kind.seconds for kind in kinds))
    for kind, helpers in zip(kinds, crowds):
        for options, helper in zip(kind.crowds, helpers):
            if "answers" in options:
                with contextlib.suppress(AssertionError):
                    await_that("answers", lambda: helper.has_said("answered"))
    if all(kind.must_be_dropped for kind in kinds):
        if held < descriptors + connections:
            run.fail(name, f"the server took {held - descriptors} of {connections} connections")
        with contextlib.suppress(AssertionError):
            # Two of the normal client, one of the client that creates charges.
            await_that("descriptors", lambda: service.descriptors() <= descriptors + 3)
        left = service.descriptors() - descriptors
        if left > 3:
            run.fail(name, f"{left} descriptors are held by clients who do not read")
        with contextlib.suppress(AssertionError):
            await_that("their ends", lambda: all(helper.has_said("ended") for helper in sum(crowds, [])), TOLD_S)
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
        run.fail(name, f"{(most - before) // 1024} MiB more memory with {connections} connections")
    run.tell(name, asked=told["asked"], failed=told["failed"], p50=told["p50"], p99=told["p99"], max=told["max"],
             MiB=f"{before // 1024}, at most {most // 1024}, then {service.own_kib() // 1024}")


def settle(run, service, name, descriptors):
    with contextlib.suppress(AssertionError):
        await_that("descriptors", lambda: service.descriptors() <= descriptors)
    if service.descriptors() > descriptors:
        run.fail(name, f"{service.descriptors()} descriptors, {descriptors} before")
