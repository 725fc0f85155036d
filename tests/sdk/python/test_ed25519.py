"""The verification of Ed25519 against others' vectors."""

import unittest
from pathlib import Path

from pixledger import _ed25519

WYCHEPROOF = Path(__file__).with_name("ed25519_wycheproof.txt")
L = 2**252 + 27742317777372353535851937790883648493

# RFC 8032 section 7.1: SHA(abc). Its tests 1 to 3 are Wycheproof's 80 to 82.
RFC_KEY = "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf"
RFC_MESSAGE = (
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
)
RFC_SIGNATURE = (
    "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
    "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"
)


def verify(key: str, message: str, signature: str) -> bool:
    return _ed25519.verify(*(bytes.fromhex(each.replace("-", "")) for each in (key, message, signature)))


class Ed25519(unittest.TestCase):
    def test_wycheproofs_vectors(self) -> None:
        count = {"valid": 0, "invalid": 0}
        for line in WYCHEPROOF.read_text("ascii").splitlines():
            if line.startswith("#"):
                continue
            id, expected, key, message, signature = line.split(" ")
            with self.subTest(id=id):
                self.assertEqual(verify(key, message, signature), expected == "valid")
            count[expected] += 1
        self.assertEqual(count, {"valid": 19, "invalid": 63})

    def test_rfc_8032s_vector_of_a_hash(self) -> None:
        self.assertTrue(verify(RFC_KEY, RFC_MESSAGE, RFC_SIGNATURE))

    def test_every_changed_bit_is_refused(self) -> None:
        signature = bytes.fromhex(RFC_SIGNATURE)
        for bit in range(0, 512, 7):
            changed = bytearray(signature)
            changed[bit // 8] ^= 1 << bit % 8
            self.assertFalse(verify(RFC_KEY, RFC_MESSAGE, changed.hex()), bit)

    def test_keys_that_are_no_point_or_not_canonical_are_refused(self) -> None:
        p = 2**255 - 19
        sign = 1 << 255
        for y in (2, p, p + 1, sign | 1, sign | (p - 1), p + 3, 2**256 - 1):
            self.assertIsNone(_ed25519._decode(y.to_bytes(32, "little")), y)

    def test_points_come_back_from_their_encoding(self) -> None:
        assert _ed25519.BASE
        point = _ed25519.BASE
        for _ in range(50):
            point = _ed25519._add(point, _ed25519.BASE)
            decoded = _ed25519._decode(_ed25519._encode(point))
            assert decoded
            self.assertEqual(_ed25519._encode(decoded), _ed25519._encode(point))

    def test_the_order_of_the_base(self) -> None:
        assert _ed25519.BASE
        result = _ed25519._combined(L, _ed25519.BASE, 0, _ed25519.NEUTRAL)
        self.assertEqual(_ed25519._encode(result), (1).to_bytes(32, "little"))


if __name__ == "__main__":
    unittest.main()
