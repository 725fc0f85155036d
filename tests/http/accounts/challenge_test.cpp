#include <catch2/catch.hpp>

#include "base/text/base64.h"
#include "http/accounts/passkeys.h"
#include "tests/eventstore/keys/keyring_fixture.h"
#include "tests/support/domain/sample_values.h"

using namespace pixledger;
using namespace pixledger::http;
using tests::kStart;

namespace {

struct Fixture {
  tests::NewKeys keys;
  const eventstore::Keyring keyring = eventstore::Keyring::open(keys.keys);

  Challenge make(ChallengePurpose purpose = ChallengePurpose::kSignIn, std::string_view whose = {}) {
    return make_challenge(purpose, whose, keyring, keys.entropy, kStart);
  }
  auto find(std::string_view id, std::int64_t after_ms = 0,
            ChallengePurpose purpose = ChallengePurpose::kSignIn, std::string_view whose = {}) const {
    return find_challenge(id, purpose, whose, keyring, kStart.plus_millis(after_ms));
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a challenge is valid for five minutes, at every node with these keys") {
  const auto made = make();
  CHECK(find(made.id)->bytes == made.bytes);
  CHECK(find(made.id)->expires_at == kStart.plus_millis(kChallengeMs));
  CHECK(find(made.id, kChallengeMs - 1));
  CHECK_FALSE(find(made.id, kChallengeMs));
  CHECK(make().id != make().id);
}

TEST_CASE_METHOD(Fixture, "a challenge is valid only for its purpose and its user") {
  const auto made = make(ChallengePurpose::kConfirm, "csign0001");
  CHECK(find(made.id, 0, ChallengePurpose::kConfirm, "csign0001")->bytes == made.bytes);
  CHECK(find(made.id, 0, ChallengePurpose::kConfirm, "csign0002")->bytes != made.bytes);
  CHECK(find(made.id, 0, ChallengePurpose::kRegister, "csign0001")->bytes != made.bytes);
  CHECK(find(made.id)->bytes != made.bytes);
}

TEST_CASE_METHOD(Fixture, "an invalid challenge id is not found, nor is one from the future") {
  auto plain = bytes_from_base64url(make().id).value();
  for (const std::string_view id : {"", "AAAA", "not base64url!"}) CHECK_FALSE(find(id));
  CHECK_FALSE(find(to_base64url(plain + "x")));
  CHECK_FALSE(find(to_base64url(plain), -kChallengeMs - 1));
  plain[0] = '\x7f';
  CHECK_FALSE(find(to_base64url(plain)));
  plain[0] = '\xff';
  CHECK_FALSE(find(to_base64url(plain)));
}
