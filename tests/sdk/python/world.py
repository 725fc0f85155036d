"""A real server in a folder of its own, and the programs beside it. PIXLEDGER_BIN_DIR says where they are."""

import json
import os
import re
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, List, Optional, Type

from pixledger import PixledgerClient

ORDER: Any = {
    "customer": {"name": "Ana Lima", "document": "52998224725", "email": "ana@example.com", "phone": "11987654321"},
    "payment": {"amountCents": 1990, "product": "Camiseta azul’ção"},
    "originDomain": "loja.example.com",
}
ADDRESS: Any = {
    "street": "Rua da Aurora",
    "streetNumber": "100",
    "neighborhood": "Boa Vista",
    "zipCode": "50050-000",
    "city": "Recife",
    "state": "PE",
    "country": "BR",
}
PATIENCE_SECONDS = 60.0
TARGETS = ["--allow-http", "--allow-target", "127.0.0.0/8"]


def wait_for(process: "subprocess.Popen[bytes]", sign: str) -> "re.Match[str]":
    """The match of what the process prints, on one stream or the other."""
    printed: Dict[Any, bytes] = {process.stdout: b"", process.stderr: b""}
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end and printed:
        for stream in select.select(list(printed), [], [], 0.1)[0]:
            piece = os.read(stream.fileno(), 65536)
            printed[stream] += piece
            found = re.search(sign, printed[stream].decode())
            if found:
                return found
            if not piece:
                raise AssertionError(f"it ended with {process.wait()}: {printed}")
    raise AssertionError(f"nothing like {sign} came: {printed}")


class World:
    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="pixledger-python-")
        self._data = ["--data", str(Path(self._folder.name) / "data"), "--map-size", "1GiB"]
        self._bin = Path(os.environ["PIXLEDGER_BIN_DIR"])
        self._programs: List["subprocess.Popen[bytes]"] = []
        self.project: Dict[str, str] = self.pixledger(
            "project", "create", "--name", "Minha Loja", "--pix-key", "a@example.com"
        )
        self._port = "0"
        self.serve()
        self.client = self.client_with("testKey")
        self.live = self.client_with("liveKey")

    def client_with(self, key: str) -> PixledgerClient:
        return PixledgerClient(self.project[key], self.base_url)

    def serve(self) -> None:
        pay = ["--pay-url", "https://pay.example.com"]
        options = ["--listen", f"127.0.0.1:{self._port}", "--allow-target", "127.0.0.0/8", *pay]
        self._server, found = self.start("pixledger-server", *options, sign=r"ready on http://127\.0\.0\.1:(\d+)\n")
        self._port = found[1]
        self.base_url = f"http://127.0.0.1:{self._port}"

    def kill_server(self) -> None:
        self._server.send_signal(signal.SIGKILL)
        self._server.communicate()

    def start(self, program: str, *options: str, sign: str) -> Any:
        command = [str(self._bin / program), *self._data, *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._programs.append(process)
        return process, wait_for(process, sign)

    def pixledger(self, *command: str, code: int = 0) -> Any:
        """What `pixledger … --json` prints."""
        found = subprocess.run([str(self._bin / "pixledger"), *self._data, *command, "--json"], capture_output=True)
        if found.returncode != code:
            raise AssertionError(f"pixledger ended with {found.returncode}: {found.stderr.decode()}")
        return json.loads(found.stdout)

    def file(self, name: str, text: str) -> str:
        path = Path(self._folder.name) / name
        path.write_text(text, "utf-8")
        return str(path)

    def __enter__(self) -> "World":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        for process in reversed(self._programs):
            process.terminate()
            process.communicate()
        self._folder.cleanup()
