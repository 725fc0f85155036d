#include <catch2/catch.hpp>

#include "eventstore/keys/tokens.h"
#include "tests/support/seeded_entropy.h"

using namespace pixledger;
using namespace pixledger::eventstore;

TEST_CASE("tokens of users are a prefix and 256 random bits, and are stored as their digest") {
  pixledger::tests::SeededEntropy entropy(1);
  const auto sign_in = make_sign_in_token(entropy);
  const auto invitation = make_invitation_token(entropy);
  CHECK(sign_in.text.substr(0, 3) == "us_");
  CHECK(invitation.text.substr(0, 3) == "ui_");
  for (const auto& token : {sign_in, invitation}) {
    CHECK(token.text.size() == 46);
    CHECK(token.text.substr(3).find_first_not_of(kBase62) == std::string::npos);
    CHECK(token.hash == sha256(token.text));
  }
  CHECK(sign_in.text.substr(3) != invitation.text.substr(3));
}

TEST_CASE("an invitation is in the fragment of the dashboard's URL") {
  CHECK(invitation_url("https://pay.example.com", "ui_abc") == "https://pay.example.com/#/convite/ui_abc");
}
