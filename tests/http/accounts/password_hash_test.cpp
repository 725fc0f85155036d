#include <catch2/catch.hpp>

#include "http/accounts/passwords.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/seeded_entropy.h"

using namespace pixledger;
using namespace pixledger::http;
using pixledger::tests::parsed;

TEST_CASE("a password is 12 to 200 characters of any kind but control characters") {
  CHECK_FALSE(Password::parse("elevenchars"));
  CHECK(Password::parse("twelve chars"));
  CHECK(Password::parse("ação ☕ não é"));
  CHECK_FALSE(Password::parse("ação ☕ não"));
  CHECK(Password::parse(std::string(200, 'x')));
  CHECK_FALSE(Password::parse(std::string(201, 'x')));
  CHECK_FALSE(Password::parse("twelve chars\n"));
  CHECK_FALSE(Password::parse("twelve chars\xff"));
}

TEST_CASE("a hash is Argon2id with OWASP's parameters, and matches only its password") {
  pixledger::tests::SeededEntropy entropy(1);
  const auto password = parsed<Password>("correct horse battery");
  const auto hash = hash_password(password, entropy);
  CHECK(hash.substr(0, 31) == "$argon2id$v=19$m=19456,t=2,p=1$");
  CHECK(hash.size() == 31 + 22 + 1 + 43);
  CHECK(hash != hash_password(password, entropy));
  CHECK(is_password(hash, password.text()));
  CHECK_FALSE(is_password(hash, "correct horse batterz"));
}

// One of the reference implementation's own (phc-winner-argon2, src/test.c, version 0x13).
TEST_CASE("a hash of another implementation, and with other costs, is read") {
  const std::string hash =
      "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$C4TWUs9rDEvq7w3+J4umqA32aWKB1+DSiRuBfYxFj94";
  CHECK(is_password(hash, "differentpassword"));
  CHECK_FALSE(is_password(hash, "differentpassworD"));
}

TEST_CASE("without a hash no password matches, and a damaged hash is a fault") {
  CHECK_FALSE(is_password(std::nullopt, "correct horse battery"));
  CHECK_THROWS(is_password("$argon2id$v=19$", "correct horse battery"));
}
