"""slowhttptest from Debian, directly and through the proxies as in the examples."""
import contextlib
import subprocess
import time

import attacks
from beside import attack, judge_probe, settle, watch
from service import HERE, Helper, await_that

ROOT = HERE.parent.parent
UNPACKED = ROOT / "build" / "unpacked"

# slowhttptest's own attacks: slow heads, slow bodies, ranges, slow reading.
SLOW = {"-H": ["-i", "5", "-x", "24"], "-B": ["-i", "5", "-s", "8192", "-x", "10"], "-R": ["-a", "10", "-b", "3000"],
        "-X": ["-w", "512", "-y", "1024", "-n", "5", "-z", "32", "-k", "3"]}


def slow_tool(run, service, proxy, seconds):
    with contextlib.ExitStack() as stack:
        port, certificate = service.port, None
        if proxy:
            port, certificate = stack.enter_context(a_proxy(service, proxy))
            kind = attacks.sleeping_readers(service, 256, seconds)
            if run.wants(kind.name):
                attack(run, service, [kind], f"{kind.name} through {proxy}", port, certificate)
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
    before, descriptors = service.own_kib(), service.descriptors()
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
        run.fail(name, f"{(most - before) // 1024} MiB more memory")
    run.tell(name, asked=told["asked"], failed=told["failed"], p50=told["p50"], p99=told["p99"], max=told["max"],
             MiB=f"{before // 1024}, at most {most // 1024}")
