#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "projections/list/text_scan.h"

namespace {

using namespace pixledger;
using namespace pixledger::projections;

const Needle kSeparator("\n");

std::vector<std::size_t> records_with(const std::string& needle, const std::vector<std::string>& records) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i].find(needle) != std::string::npos) found.push_back(i);
  return found;
}

std::vector<std::size_t> scanned(const std::string& needle, const std::vector<std::string>& records) {
  std::string text;
  for (const auto& record : records) text += record + '\n';
  std::vector<std::size_t> found;
  for_each_record_with(Needle(needle), text, kSeparator,
                       [&](std::size_t record) { found.push_back(record); });
  return found;
}

// Bytes of which some are rare, so that every number of matches in a window occurs.
std::string random_text(std::mt19937_64& random, std::size_t size) {
  constexpr std::string_view kBytes = "aaaabbc7-";
  std::string text(size, '\0');
  for (char& byte : text) byte = kBytes[random() % kBytes.size()];
  return text;
}

}  // namespace

TEST_CASE("a scan finds each record that has the needle once, whatever the records' lengths", "[list]") {
  constexpr std::uint64_t kSeed = 81;
  CAPTURE(kSeed);
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 60; ++round) {
    // From empty records to some that span several windows.
    const std::size_t longest = round % 3 == 0 ? 3 : round % 3 == 1 ? 40 : 12'000;
    std::vector<std::string> records(1 + random() % (longest > 100 ? 8 : 3'000));
    for (auto& record : records) record = random_text(random, random() % (longest + 1));
    for (int i = 0; i < 8; ++i) {
      const std::string needle = random_text(random, 1 + random() % (i < 6 ? 5 : 90));
      CAPTURE(round, needle);
      REQUIRE(scanned(needle, records) == records_with(needle, records));
    }
  }
}

TEST_CASE("a needle longer than the text, or an empty text, has no match", "[list]") {
  CHECK(scanned("abc", {}).empty());
  CHECK(scanned("abc", {"a"}).empty());
  CHECK(scanned("abc", {"abc"}) == std::vector<std::size_t>{0});
}

TEST_CASE("a scan marks the places where the needle begins, and no others", "[list]") {
  constexpr std::uint64_t kSeed = 82;
  CAPTURE(kSeed);
  std::mt19937_64 random(kSeed);
  for (std::size_t places = 1; places <= 300; ++places) {
    const std::string needle = random_text(random, 1 + random() % 6);
    const std::string text = random_text(random, places + needle.size() - 1);
    std::vector<std::uint64_t> expected((places + 63) / 64);
    for (std::size_t i = 0; i < places; ++i)
      if (text.compare(i, needle.size(), needle) == 0) expected[i / 64] |= std::uint64_t{1} << i % 64;
    std::vector<std::uint64_t> matches(expected.size(), ~std::uint64_t{0});
    const bool any = text.find(needle) != std::string::npos;
    REQUIRE(Needle(needle).mark(text.data(), places, matches.data()) == any);
    REQUIRE(matches == expected);
  }
}
