#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "eventstore/keys/tokens.h"
#include "tests/support/seeded_entropy.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using pixledger::tests::SeededEntropy;

namespace {

constexpr std::array<char, 4> kLog = {'a', '1', 'B', '2'};
constexpr std::uint64_t kSeed = 7;

// Returns the given bytes, over and over.
class FixedEntropy final : public Entropy {
 public:
  explicit FixedEntropy(std::byte byte) : byte_(byte) {}
  void fill(std::span<std::byte> bytes) override {
    for (std::byte& byte : bytes) byte = byte_;
  }

 private:
  std::byte byte_;
};

}  // namespace

TEST_CASE("the text of an API key is frozen") {
  FixedEntropy zeros{std::byte{0}};
  FixedEntropy ones{std::byte{0xff}};
  CHECK(make_api_key(true, kLog, zeros).text ==
        "sk_live_a1B200000000000000000000000000000000000000000002IhxD4");
  CHECK(make_api_key(false, kLog, ones).text ==
        "sk_test_a1B2yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp12h1R7K");
}

TEST_CASE("a generated key parses to its environment and its ledger") {
  CAPTURE(kSeed);
  SeededEntropy entropy(kSeed);
  for (int i = 0; i < 500; ++i) {
    const bool live = i % 2 == 0;
    const NewApiKey key = make_api_key(live, kLog, entropy);
    REQUIRE(key.text.size() == 61);
    REQUIRE(key.text.substr(0, 8) == (live ? "sk_live_" : "sk_test_"));
    REQUIRE(key.hash == sha256(key.text));
    REQUIRE(key.id.text() == api_key_id(key.hash));
    REQUIRE(key.last_four.text() == key.text.substr(57));
    const std::optional<ParsedApiKey> parsed = parse_api_key(key.text);
    REQUIRE(parsed);
    REQUIRE(parsed->live == live);
    REQUIRE(parsed->log == kLog);
  }
}

TEST_CASE("keys of one log differ") {
  CAPTURE(kSeed);
  SeededEntropy entropy(kSeed);
  std::set<std::string> texts;
  for (int i = 0; i < 500; ++i) texts.insert(make_api_key(true, kLog, entropy).text);
  CHECK(texts.size() == 500);
}

TEST_CASE("a key with one character changed is refused") {
  CAPTURE(kSeed);
  SeededEntropy entropy(kSeed);
  const std::string text = make_api_key(true, kLog, entropy).text;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int character = 0; character < 256; ++character) {
      std::string mistyped = text;
      mistyped[i] = static_cast<char>(character);
      if (mistyped != text) REQUIRE_FALSE(parse_api_key(mistyped));
    }
  }
}

TEST_CASE("a key with two neighbours swapped is refused") {
  CAPTURE(kSeed);
  SeededEntropy entropy(kSeed);
  const std::string text = make_api_key(true, kLog, entropy).text;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    std::string mistyped = text;
    std::swap(mistyped[i], mistyped[i + 1]);
    if (mistyped != text) REQUIRE_FALSE(parse_api_key(mistyped));
  }
}

TEST_CASE("a key of another length is refused") {
  CAPTURE(kSeed);
  SeededEntropy entropy(kSeed);
  const std::string text = make_api_key(false, kLog, entropy).text;
  for (std::size_t length = 0; length < text.size(); ++length) {
    REQUIRE_FALSE(parse_api_key(text.substr(0, length)));
    REQUIRE_FALSE(parse_api_key(text.substr(length + 1)));
  }
  CHECK_FALSE(parse_api_key(text + "0"));
  CHECK_FALSE(parse_api_key(" " + text));
}

TEST_CASE("the id of a key is the first 24 hex characters of its hash") {
  CHECK(api_key_id(sha256("abc")) == "ba7816bf8f01cfea414140de");
}
