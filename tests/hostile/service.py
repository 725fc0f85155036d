"""A real pixledger-server with a project, and what the system knows of it."""
import contextlib
import json
import os
import resource
import signal
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
PATIENCE_S = 60


def await_that(what, condition, patience_s=PATIENCE_S):
    end = time.monotonic() + patience_s
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"waited {patience_s} s in vain for {what}")
        time.sleep(0.05)
    return value


def order(external_id):
    return {
        "customer": {"name": "Ana Almeida", "document": "52998224725", "email": "ana@example.com",
                     "phone": "11987654321"},
        "payment": {"amountCents": 1290, "product": "Cafe"},
        "originDomain": "loja.example.com",
        "externalId": external_id,
    }


class Service:
    def __init__(self, binaries, work, options=()):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.binaries = Path(binaries)
        self.work = Path(work)
        self.data = self.work / "data"
        self.options = list(options)
        made = self.pixledger("project", "create", "--name", "Loja", "--merchant-city", "RECIFE", "--json")
        self.key, self.live_key = (json.loads(made.stdout)[kind] for kind in ("testKey", "liveKey"))
        self.start()
        self.charge = self.create("first")

    def pixledger(self, *arguments):
        return subprocess.run([self.binaries / "pixledger", *arguments, "--data", self.data, "--map-size", "1GiB"],
                              check=True, capture_output=True, text=True)

    def start(self):
        port_file = self.work / "port"
        port_file.unlink(missing_ok=True)
        self.log = open(self.work / "server.log", "a")
        self.process = subprocess.Popen(
            [self.binaries / "pixledger-server", "--data", self.data, "--listen", "127.0.0.1:0", "--port-file",
             port_file, "--map-size", "1GiB", *self.options],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        await_that("the server", lambda: port_file.exists() and port_file.read_text().strip() or self.process.poll())
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended: {(self.work / 'server.log').read_text()[-2000:]}")
        self.port = int(port_file.read_text())
        self.scheme = "https" if self.certificate() else "http"
        await_that("readiness", lambda: self.status("/readyz") == 200)

    def certificate(self):
        return self.options[self.options.index("--tls-cert") + 1] if "--tls-cert" in self.options else None

    def request(self, path, body=None):
        request = urllib.request.Request(
            f"{self.scheme}://localhost:{self.port}{path}", data=body and json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        handlers = [urllib.request.ProxyHandler({})]
        if self.certificate():
            handlers.append(urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=self.certificate())))
        return urllib.request.build_opener(*handlers).open(request, timeout=PATIENCE_S)

    def status(self, path):
        try:
            with self.request(path) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return None

    def create(self, external_id):
        with self.request("/api/v1/transactions", order(external_id)) as answer:
            return json.load(answer)["data"]["id"]

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def own_kib(self):
        """Resident, without the pages of the files that it has mapped."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
        raise AssertionError("the server has no memory")

    def stop(self, patience_s=PATIENCE_S):
        """Its exit status after SIGTERM; a server that does not end is killed, and has none."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None
        finally:
            self.log.close()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


@contextlib.contextmanager
def a_service(binaries, options=()):
    with tempfile.TemporaryDirectory(prefix="pixledger-hostile-") as work:
        service = Service(binaries, work, options)
        try:
            yield service
        finally:
            if service.process.poll() is None:
                service.kill()


class Helper:
    """A program of this folder that works until its stdin ends and then prints its results."""

    def __init__(self, script, *arguments):
        self.process = subprocess.Popen(["python3", "-B", HERE / script, *map(str, arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True)
        self.reader.start()

    def has_said(self, line):
        return line + "\n" in self.lines or self.process.poll() is not None

    def result(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE_S)
        self.reader.join()
        self.process.stdout.close()
        return json.loads(self.lines[-1])
