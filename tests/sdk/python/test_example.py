"""The documentation's example does what it says."""

import os
import socket
import subprocess
import sys
import unittest
from pathlib import Path

from world import TARGETS, World, wait_for

EXAMPLE = Path(__file__).resolve().parents[3] / "sdk/python/example/shop.py"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class Example(unittest.TestCase):
    def test_the_shop_sells_one_thing_and_hears_that_it_is_paid(self) -> None:
        with World() as world:
            port = free_port()
            channel = ["channel", "add", "--project", world.project["projectId"], "--url", f"http://127.0.0.1:{port}/"]
            secret = world.pixledger(*channel, *TARGETS)["secret"]
            world.start("pixledger-webhooks", *TARGETS, "--resume-from", "beginning", sign="at work")
            env = {
                **os.environ,
                "PIXLEDGER_URL": world.base_url,
                "PIXLEDGER_KEY": world.project["testKey"],
                "PIXLEDGER_WEBHOOK_SECRET": secret,
                "PORT": str(port),
            }
            for is_trial, outcome in (("yes", "deliver"), ("", "not paid here")):
                command = [sys.executable, str(EXAMPLE)]
                shop = subprocess.Popen(
                    command, env={**env, "SHOP_IS_A_TRIAL": is_trial}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
                )
                try:
                    heard = "pay this: 000201.*transaction.created: Camiseta for Ana Lima\n"
                    self.assertTrue(wait_for(shop, f"(?s)^{heard}.*\n{outcome} Camiseta"))
                finally:
                    shop.terminate()
                    shop.communicate()

    def test_it_is_short(self) -> None:
        self.assertLessEqual(len(EXAMPLE.read_text("utf-8").splitlines()), 40)


if __name__ == "__main__":
    unittest.main()
