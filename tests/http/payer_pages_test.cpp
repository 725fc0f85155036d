#include "http/services/payer_pages.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sys/stat.h>

#include "base/platform/sha256.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

// Two images, of 16 and 17 bytes.
const auto kLogo = parsed<domain::StoreLogo>("data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==");
const auto kOther = parsed<domain::StoreLogo>("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgA=");

std::string line_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::string refusal_of(const std::filesystem::path& file) {
  SeededEntropy entropy(1);
  try {
    http::open_web_key(file, entropy);
  } catch (const std::runtime_error& refused) {
    return refused.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the web key is readable by its owner only, and is not made again") {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "web.key";
  SeededEntropy entropy(7);
  const auto made = http::open_web_key(file, entropy);
  struct stat info {};
  REQUIRE(::stat(file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  const auto text = line_of(file);
  CHECK(text.starts_with("wk_"));
  CHECK(made.hash == sha256(text));
  CHECK(http::open_web_key(file, entropy).hash == made.hash);
  CHECK(line_of(file) == text);
}

TEST_CASE("a web key open to others on the machine is refused, and one open to a group is not") {
  const TemporaryDirectory directory;
  const auto file = directory.path() / "web.key";
  SeededEntropy entropy(7);
  http::open_web_key(file, entropy);
  for (const mode_t mode : {0644, 0602, 0601}) {
    REQUIRE(::chmod(file.c_str(), mode) == 0);
    CHECK(refusal_of(file) ==
          "the web key in " + file.string() + " lets everybody in: run chmod o= " + file.string());
  }
  REQUIRE(::chmod(file.c_str(), 0640) == 0);
  CHECK(refusal_of(file).empty());
}

TEST_CASE("a web key that cannot be made or read is named, and an invalid key file is not replaced") {
  const TemporaryDirectory directory;
  const auto missing = directory.path() / "nowhere" / "web.key";
  CHECK(refusal_of(missing).find(missing.string()) != std::string::npos);
  const auto other = directory.path() / "other";
  std::ofstream(other) << "not a key\n";
  CHECK(refusal_of(other).find(other.string()) != std::string::npos);
  CHECK(line_of(other) == "not a key");
}

TEST_CASE("a logo is hashed once, and again when the store changes it") {
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
