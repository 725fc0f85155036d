"""The types are those of the API's document, and what callers write passes `mypy --strict` as Python 3.9 has it.

PIXLEDGER_OPENAPI is the document, as the build bundles it.
"""

import ast
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SDK = ROOT / "sdk/python"
CACHE = tempfile.TemporaryDirectory()


def mypy(*arguments: str) -> str:
    """What it says of files and of what they import; empty when nothing."""
    options = ["--strict", "--no-site-packages", "--python-version", "3.9", "--cache-dir", CACHE.name]
    env = {**os.environ, "MYPYPATH": str(SDK)}
    found = subprocess.run(["mypy", *options, *arguments], cwd=ROOT, env=env, capture_output=True, text=True)
    return "" if found.returncode == 0 else found.stdout + found.stderr


class Types(unittest.TestCase):
    def test_they_are_made_from_the_document(self) -> None:
        command = [sys.executable, str(ROOT / "scripts/lib/python_types"), os.environ["PIXLEDGER_OPENAPI"]]
        made = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        hint = "scripts/lib/python_types build/release/http/openapi.json >sdk/python/pixledger/types.py"
        self.assertEqual(made, (SDK / "pixledger/types.py").read_text("utf-8"), f"run {hint}")

    def test_the_package_and_what_callers_write_fit_and_what_is_wrong_does_not(self) -> None:
        files = [str(each) for each in sorted(Path(__file__).parent.glob("*.py"))]
        self.assertGreater(len(files), 5)
        self.assertEqual(mypy(*files, str(SDK / "conformance")), "")

    def test_mypy_finds_what_is_wrong(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "wrong.py"
            file.write_text("import pixledger\npixledger.verify_webhook({}, {}, 'x')\n", "utf-8")
            self.assertIn("[arg-type]", mypy(str(file)))
            file.write_text("def f(x: int | str) -> None: ...\n", "utf-8")
            self.assertIn("3.10", mypy(str(file)))

    def test_the_syntax_is_that_of_python_3_9(self) -> None:
        files = [*SDK.rglob("*.py"), SDK / "conformance"]
        for file in files:
            ast.parse(file.read_text("utf-8"), str(file), feature_version=(3, 9))


class Package(unittest.TestCase):
    def test_it_has_the_version_of_the_release(self) -> None:
        found = re.search(r"^project\(pixledger VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text("utf-8"), re.M)
        assert found
        self.assertEqual((SDK / "pixledger/_version.py").read_text("utf-8"), f'__version__ = "{found[1]}"\n')

    def test_it_has_the_licence(self) -> None:
        self.assertEqual((SDK / "LICENSE").read_bytes(), (ROOT / "LICENSE").read_bytes())

    def test_the_programs_of_its_page_and_its_example_are_whole(self) -> None:
        page = (SDK / "README.md").read_text("utf-8")
        programs = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
        self.assertGreaterEqual(len(programs), 5)
        programs.append((SDK / "example/shop.py").read_text("utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / f"page_{i}.py" for i in range(len(programs))]
            for file, text in zip(files, programs):
                file.write_text(f"# mypy: allow-untyped-defs, allow-untyped-calls\n{text}", "utf-8")
            self.assertEqual(mypy(*map(str, files)), "")
        for name in ("PixledgerClient", "ApiError", "verify_webhook", "verify_receipt", "verify_return", "follow("):
            self.assertTrue(any(name in each for each in programs), name)


if __name__ == "__main__":
    unittest.main()
