#include "eventstore/keys/aes_gcm.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/platform/sha256.h"

using namespace pixledger;
using namespace pixledger::eventstore;

namespace {

std::string from_hex(std::string_view hex) { return bytes_from_hex(hex).value(); }

// Test cases 13 to 16 of "The Galois/Counter Mode of Operation (GCM)", McGrew and Viega, the submission to
// NIST.
struct Vector {
  std::string key;
  std::string nonce;
  std::string plaintext;
  std::string associated;
  std::string ciphertext;
  std::string tag;
};

const std::string kZeroKey(64, '0');
const std::string kKey = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
const std::string kPlaintext =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
    "b16aedf5aa0de657ba637b39";
const std::string kCiphertext =
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
    "c5f61e6393ba7a0abcc9f662";

const Vector kVectors[] = {
    {kZeroKey, "000000000000000000000000", "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
    {kZeroKey, "000000000000000000000000", "00000000000000000000000000000000", "",
     "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"},
    {kKey, "cafebabefacedbaddecaf888", kPlaintext + "1aafd255", "", kCiphertext + "898015ad",
     "b094dac5d93471bdec1a502270e3cc6c"},
    {kKey, "cafebabefacedbaddecaf888", kPlaintext, "feedfacedeadbeeffeedfacedeadbeefabaddad2", kCiphertext,
     "76fc6ece0f4e1768cddf8853bb2d551b"},
};

Aes256Gcm cipher_of(const Vector& vector) {
  Key256 key;
  key.bytes = digest_from_hex(vector.key).value();
  return Aes256Gcm(key);
}

}  // namespace

TEST_CASE("AES-256-GCM seals and opens the published vectors") {
  for (const Vector& vector : kVectors) {
    const Aes256Gcm cipher = cipher_of(vector);
    const std::string sealed =
        cipher.seal(from_hex(vector.nonce), from_hex(vector.plaintext), from_hex(vector.associated));
    CHECK(to_hex(sealed) == vector.ciphertext + vector.tag);
    CHECK(cipher.open(from_hex(vector.nonce), sealed, from_hex(vector.associated)) ==
          from_hex(vector.plaintext));
  }
}

TEST_CASE("a nonce of another length and a text shorter than a tag do not open") {
  const Aes256Gcm cipher{Key256()};
  const std::string nonce(kGcmNonceBytes, '\0');
  const std::string sealed = cipher.seal(nonce, "", "");
  REQUIRE(cipher.open(nonce, sealed, "") == "");
  CHECK_FALSE(cipher.open(nonce.substr(1), sealed, ""));
  CHECK_FALSE(cipher.open(nonce, sealed.substr(1), ""));
  CHECK_FALSE(cipher.open(nonce, "", ""));
}

TEST_CASE("a text too long to have been sealed does not open") {
  const Aes256Gcm cipher{Key256()};
  const std::string nonce(kGcmNonceBytes, '\0');
  CHECK_FALSE(cipher.open(nonce, std::string(kGcmInputBytesMax + kGcmTagBytes + 1, 'x'), ""));
  CHECK_FALSE(cipher.open(nonce, std::string(kGcmTagBytes, 'x'), std::string(kGcmInputBytesMax + 1, 'x')));
}

TEST_CASE("a wiped secret is empty") {
  std::string secret = "secret";
  wipe(secret);
  CHECK(secret.empty());
}
