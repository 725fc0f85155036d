#include "eventstore/keys/ed25519.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/platform/sha256.h"

using namespace pixledger;
using namespace pixledger::eventstore;

namespace {

struct Vector {
  const char* secret;
  const char* public_key;
  const char* message;
  const char* signature;
};

// RFC 8032 section 7.1, tests 1 to 3.
constexpr Vector kVectors[] = {{"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a3"
                                "3bacc61e39701cf9b46bd25bf5f0595b"
                                "be24655141438e7a100b"},
                               {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15"
                                "996e458f3613d0f11d8c387b2eaeb430"
                                "2aeeb00d291612bb0c00"},
                               {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
                                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
                                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16"
                                "f290ae67f760984dc6594a7c15e9716e"
                                "d28dc027beceea1ec40a"}};

Ed25519Key key_of(const Vector& vector) {
  Key256 seed;
  seed.bytes = digest_from_hex(vector.secret).value();
  return Ed25519Key(seed);
}

}  // namespace

TEST_CASE("Ed25519 signs as RFC 8032 does") {
  for (const auto& vector : kVectors) {
    const auto key = key_of(vector);
    const auto message = bytes_from_hex(vector.message).value();
    CHECK(key.public_key() == digest_from_hex(vector.public_key).value());
    CHECK(to_hex(key.sign(message)) == vector.signature);
    CHECK(verify_ed25519(key.public_key(), message, key.sign(message)));
  }
}

TEST_CASE("a signature is refused when a bit of it, of the message or of the key is changed") {
  const auto key = key_of(kVectors[2]);
  const std::string message = "a message";
  const auto signature = key.sign(message);
  for (std::size_t i = 0; i < signature.size(); ++i) {
    auto changed = signature;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    CHECK_FALSE(verify_ed25519(key.public_key(), message, changed));
  }
  for (std::size_t i = 0; i < key.public_key().size(); ++i) {
    auto changed = key.public_key();
    changed[i] ^= 1;
    CHECK_FALSE(verify_ed25519(changed, message, signature));
  }
  CHECK_FALSE(verify_ed25519(key.public_key(), "a massage", signature));
  for (const auto length : {0U, 63U})
    CHECK_FALSE(verify_ed25519(key.public_key(), message, signature.substr(0, length)));
  CHECK_FALSE(verify_ed25519(key.public_key(), message, signature + '\0'));
}
