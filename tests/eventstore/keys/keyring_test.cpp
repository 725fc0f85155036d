#include "eventstore/keys/keyring.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/platform/sha256.h"
#include "tests/eventstore/keys/keyring_fixture.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using Catch::Matchers::Contains;
using pixledger::tests::kKeysMadeAt;
using pixledger::tests::NewKeys;

TEST_CASE("a sealed secret is unsealed by the same keyring after reopening it") {
  NewKeys fixture;
  const Sealed sealed = Keyring::open(fixture.keys).seal("whsec_1", "channel 1", fixture.entropy);
  CHECK(sealed.nonce.size() == 12);
  CHECK(sealed.ciphertext_and_tag.size() == 7 + 16);
  CHECK(sealed.ciphertext_and_tag.find("whsec") == std::string::npos);
  CHECK(Keyring::open(fixture.keys).unseal(sealed, "channel 1") == "whsec_1");
}

TEST_CASE("secrets of any bytes and of none are sealed") {
  NewKeys fixture;
  const Keyring keyring = Keyring::open(fixture.keys);
  for (const std::string& secret : {std::string(), std::string("\0\xff\n", 3), std::string(5000, 's')}) {
    CHECK(keyring.unseal(keyring.seal(secret, "", fixture.entropy), "") == secret);
  }
}

TEST_CASE("the same secret is never sealed to the same bytes") {
  NewKeys fixture;
  const Keyring keyring = Keyring::open(fixture.keys);
  CHECK_FALSE(keyring.seal("secret", "", fixture.entropy) == keyring.seal("secret", "", fixture.entropy));
}

TEST_CASE("a sealed secret with any byte changed is refused") {
  NewKeys fixture;
  const Keyring keyring = Keyring::open(fixture.keys);
  const std::string bytes = keyring.seal("whsec_1", "channel 1", fixture.entropy).to_bytes();
  REQUIRE(keyring.unseal(Sealed::from_bytes(bytes).value(), "channel 1") == "whsec_1");
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    REQUIRE_THROWS_AS(keyring.unseal(Sealed::from_bytes(changed).value(), "channel 1"), KeyringError);
  }
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::optional<Sealed> shorter = Sealed::from_bytes(bytes.substr(0, length));
    if (shorter) REQUIRE_THROWS_AS(keyring.unseal(*shorter, "channel 1"), KeyringError);
  }
}

TEST_CASE("a new keyring signs, and goes on with the same key when its master key is rotated") {
  NewKeys fixture;
  const auto key = Keyring::open(fixture.keys).signing_key().public_key();
  Keyring::ensure_signing_key(fixture.keys, fixture.entropy, kKeysMadeAt);
  Keyring::rotate_master_key(fixture.keys, fixture.entropy);
  CHECK(Keyring::open(fixture.keys).signing_key().public_key() == key);
}

TEST_CASE("a secret sealed for one place is not unsealed for another") {
  NewKeys fixture;
  const Keyring keyring = Keyring::open(fixture.keys);
  const Sealed sealed = keyring.seal("whsec_1", "channel 1", fixture.entropy);
  CHECK_THROWS_WITH(keyring.unseal(sealed, "channel 2"), Contains("damaged or belongs elsewhere"));
}

TEST_CASE("a secret sealed by other keys is refused, naming the missing key") {
  NewKeys fixture;
  const Sealed sealed = Keyring::open(fixture.keys).seal("secret", "", fixture.entropy);
  Keyring::create(fixture.directory.path() / "other", fixture.entropy, kKeysMadeAt);
  const Keyring other = Keyring::open(fixture.directory.path() / "other");
  CHECK_THROWS_WITH(other.unseal(sealed, ""),
                    Contains("data key " + sealed.data_key_id + ", which this keyring does not have"));
}

TEST_CASE("the stored form of a sealed secret is frozen") {
  const Sealed sealed{"0123456789abcdef", "twelve bytes", "ciphertext, then a tag"};
  std::string bytes("\x01\x01\x23\x45\x67\x89\xab\xcd\xef", 9);
  bytes.append("twelve bytesciphertext, then a tag");
  CHECK(sealed.to_bytes() == bytes);
  CHECK(Sealed::from_bytes(bytes) == sealed);
}

TEST_CASE("bytes that are no sealed secret are refused") {
  CHECK_FALSE(Sealed::from_bytes(""));
  CHECK_FALSE(Sealed::from_bytes("\x01" + std::string(35, 'x')));
  CHECK(Sealed::from_bytes("\x01" + std::string(36, 'x')));
  CHECK_FALSE(Sealed::from_bytes("\x02" + std::string(36, 'x')));
}

TEST_CASE("the name of a document is 32 hex characters, its own, and stays the same") {
  NewKeys fixture;
  const Keyring keyring = Keyring::open(fixture.keys);
  const std::string name = keyring.name_of_document("project-1", "12345678901");
  CHECK(name.size() == 32);
  CHECK(name.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(Keyring::open(fixture.keys).name_of_document("project-1", "12345678901") == name);
  CHECK(keyring.name_of_document("project-2", "12345678901") != name);
  CHECK(keyring.name_of_document("project-1", "12345678902") != name);
  CHECK(keyring.name_of_document("project-11", "2345678901") != name);
}

TEST_CASE("keys of another directory make other names") {
  NewKeys fixture;
  Keyring::create(fixture.directory.path() / "other", fixture.entropy, kKeysMadeAt);
  CHECK(Keyring::open(fixture.keys).name_of_document("p", "1") !=
        Keyring::open(fixture.directory.path() / "other").name_of_document("p", "1"));
}

TEST_CASE("one keyring serves several threads") {
  NewKeys fixture;
  const Keyring keyring = Keyring::open(fixture.keys);
  const std::string name = keyring.name_of_document("p", "1");
  std::vector<int> right(4, 0);
  std::vector<std::thread> threads;
  for (int& count : right) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const Sealed sealed = keyring.seal("secret", "place", fixture.entropy);
        if (keyring.unseal(sealed, "place") == "secret" && keyring.name_of_document("p", "1") == name)
          ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == std::vector<int>(4, 200));
}
