#include "http/accounts/recovery_codes.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/domain/sample_values.h"
#include "tests/support/seeded_entropy.h"

using namespace pixledger;
using namespace pixledger::http;

TEST_CASE("there are eight recovery codes, which are known again however they are typed") {
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
