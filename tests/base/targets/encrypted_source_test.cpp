#include "base/targets/encrypted_source.h"

#include <catch2/catch.hpp>

#include "tests/support/seeded_entropy.h"

using namespace pixledger;

TEST_CASE("an object is encrypted while it is written, and a part that is sent again is the same") {
  const auto identities =
      parse_age_identities("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX");
  tests::SeededEntropy entropy(1);
  const std::string plain(200'000, 'p');
  const auto source = encrypted_source(source_of(plain), {identities[0].recipient}, entropy);
  constexpr std::size_t kPart = 70'000;
  const auto first = source.read(0, kPart);
  const auto rest = source.read(kPart, static_cast<std::size_t>(source.bytes) - kPart);
  CHECK((age_decrypt(first + rest, identities) == plain));
  CHECK((source.read(0, kPart) == first));
}
