"""Texts of strangers are read in a time that their length justifies."""

import time
import unittest

import pixledger

KEY = bytes(range(32))


class HostileTexts(unittest.TestCase):
    def test_a_string_without_an_end_is_rejected_at_once(self) -> None:
        for text in ('"' + '\\"' * 20_000, '["' * 20_000, '"' * 20_001, "[" * 20_000 + '"' + "\\\\" * 20_000):
            started = time.monotonic()
            verified = pixledger.verify_receipt(text, KEY)
            self.assertEqual(verified["ok"] or verified["reason"], "malformed_receipt")
            self.assertLess(time.monotonic() - started, 10)


if __name__ == "__main__":
    unittest.main()
