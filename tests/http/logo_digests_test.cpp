#include "http/services/logo_digests.h"

#include <catch2/catch.hpp>

#include "base/platform/sha256.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

// Two images, of 16 and 17 bytes.
const auto kLogo = parsed<domain::StoreLogo>("data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==");
const auto kOther = parsed<domain::StoreLogo>("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgA=");

}  // namespace

TEST_CASE("a logo is hashed once, and anew when the store changes it") {
  http::LogoDigests digests;
  const auto store = parsed<domain::ProjectId>("cstore000001");
  for (int look = 0; look < 3; ++look) {
    const auto digest = digests.of(store, kLogo);
    CHECK(digest.sha256 == to_hex(sha256(kLogo.image())));
    CHECK(digest.bytes == 16);
  }
  CHECK(digests.computed() == 1);
  const auto changed = digests.of(store, kOther);
  CHECK(changed.sha256 == to_hex(sha256(kOther.image())));
  CHECK(changed.bytes == 17);
  CHECK(digests.of(parsed<domain::ProjectId>("cstore000002"), kLogo).bytes == 16);
  CHECK(digests.computed() == 3);
}

}  // namespace pixledger::tests
