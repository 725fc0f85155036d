#include "http/accounts/one_time_codes.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/eventstore/keys/keyring_fixture.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/seeded_entropy.h"

using namespace pixledger;
using namespace pixledger::http;
using pixledger::tests::parsed;

namespace {

const std::string kSecret = "12345678901234567890";

Timestamp at_second(std::int64_t seconds) { return Timestamp(seconds * 1'000); }

}  // namespace

TEST_CASE("one-time codes are those of RFC 6238, appendix B") {
  struct Row {
    std::int64_t second;
    const char* code;
  };
  for (const auto& row :
       {Row{59, "94287082"}, Row{1111111109, "07081804"}, Row{1111111111, "14050471"},
        Row{1234567890, "89005924"}, Row{2000000000, "69279037"}, Row{20000000000, "65353130"}}) {
    CHECK(totp_code(kSecret, totp_step(at_second(row.second)), 8) == row.code);
    CHECK(totp_code(kSecret, totp_step(at_second(row.second))) == std::string(row.code).substr(2));
  }
}

TEST_CASE("a code is valid in its step and the adjacent ones") {
  const auto now = at_second(3'000'000);
  const auto step = totp_step(now);
  for (const std::int64_t aside : {-1, 0, 1})
    CHECK(find_totp_step(kSecret, totp_code(kSecret, step + aside), 0, now) == step + aside);
  for (const std::int64_t aside : {-2, 2})
    CHECK_FALSE(find_totp_step(kSecret, totp_code(kSecret, step + aside), 0, now));
  CHECK_FALSE(find_totp_step(kSecret, "", 0, now));
  CHECK_FALSE(find_totp_step(kSecret, totp_code(kSecret, step) + "0", 0, now));
}

TEST_CASE("a used step, and those before it, are no longer valid") {
  const auto now = at_second(3'000'000);
  const auto step = totp_step(now);
  CHECK_FALSE(find_totp_step(kSecret, totp_code(kSecret, step), step, now));
  CHECK_FALSE(find_totp_step(kSecret, totp_code(kSecret, step - 1), step, now));
  CHECK(find_totp_step(kSecret, totp_code(kSecret, step + 1), step, now) == step + 1);
}

TEST_CASE("an app gets a secret with the name of its user") {
  CHECK(totp_url(kSecret, "pixledger", "ana+pix@example.com") ==
        "otpauth://totp/pixledger:ana%2Bpix%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        "&issuer=pixledger&algorithm=SHA1&digits=6&period=30");
  tests::SeededEntropy entropy(1);
  CHECK(new_totp_secret(entropy).size() == 20);
  CHECK(new_totp_secret(entropy) != new_totp_secret(entropy));
}

TEST_CASE("a secret is sealed for one user") {
  tests::NewKeys made;
  const auto keyring = eventstore::Keyring::open(made.keys);
  const auto ana = parsed<domain::UserId>("cuser0000ana");
  const auto sealed = seal_totp(ana, kSecret, keyring, made.entropy);
  CHECK(sealed.find(kSecret) == std::string::npos);
  CHECK(unseal_totp(ana, sealed, keyring) == kSecret);
  CHECK_THROWS_AS(unseal_totp(parsed<domain::UserId>("cuser0000bea"), sealed, keyring),
                  eventstore::KeyringError);
  CHECK_THROWS_AS(unseal_totp(ana, "x", keyring), eventstore::KeyringError);
}

TEST_CASE("there are eight recovery codes, which are recognized in any spelling") {
  tests::SeededEntropy entropy(1);
  const auto ana = tests::parsed<domain::UserId>("cuser0000ana");
  const auto bea = tests::parsed<domain::UserId>("cuser0000bea");
  const auto made = make_recovery_codes(ana, entropy);
  CHECK(std::set(made.texts.begin(), made.texts.end()).size() == 8);
  for (std::size_t i = 0; i < made.texts.size(); ++i) {
    auto typed = made.texts[i];
    REQUIRE(typed.size() == 19);
    CHECK(recovery_code_hash(ana, typed) == made.hashes[i]);
    CHECK(recovery_code_hash(bea, typed) != made.hashes[i]);
    for (auto& c : typed) c = c == '-' ? ' ' : static_cast<char>(std::tolower(c));
    CHECK(recovery_code_hash(ana, typed) == made.hashes[i]);
  }
  CHECK_FALSE(recovery_code_hash(ana, ""));
  CHECK_FALSE(recovery_code_hash(ana, "ABCD-EFGH-IJKL-MNO"));
  CHECK_FALSE(recovery_code_hash(ana, "ABCD-EFGH-IJKL-MNOPQ"));
}
