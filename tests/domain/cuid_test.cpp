#include "domain/values/cuid.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <rapidcheck.h>
#include <string>
#include <unordered_set>
#include <vector>

namespace pixledger::domain {
namespace {

constexpr std::int64_t kTimeValues = 2'821'109'907'456;

IdMint recipe(std::int64_t millis, std::uint32_t counter, std::uint64_t random = 7) {
  return {Timestamp(millis), counter, {'l', 'o', 'g', '1'}, random};
}

}  // namespace

TEST_CASE("an id is c and at least eight characters without spaces, hyphens or control characters") {
  CHECK(ChargeId::parse("c12345678"));
  CHECK(ChargeId::parse("C12345678"));
  CHECK(ChargeId::parse("c" + std::string(63, 'x')));
  CHECK(ChargeId::parse("c_!#\xc3\xa9/..%"));
  CHECK_FALSE(ChargeId::parse(""));
  CHECK_FALSE(ChargeId::parse("c1234567"));
  CHECK_FALSE(ChargeId::parse("c" + std::string(64, 'x')));
  CHECK_FALSE(ChargeId::parse("d12345678"));
  CHECK_FALSE(ChargeId::parse("c1234-5678"));
  for (const char refused : {' ', '\t', '\n', '\r', '\v', '\f', '\0', '\x01', '\x1f', '\x7f'}) {
    const std::string id = "c0123456789abcdefghijklmn";
    for (std::size_t at = 0; at < id.size(); ++at) {
      std::string changed = id;
      changed[at] = refused;
      CAPTURE(changed);
      CHECK_FALSE(ChargeId::parse(changed));
    }
  }
}

TEST_CASE("an id reads back as itself") {
  const auto id = CustomerId::parse("cAbCdEfGh1");
  REQUIRE(id);
  CHECK(CustomerId::parse(id->text()) == id);
  CHECK(std::hash<CustomerId>()(*id) == std::hash<CustomerId>()(*CustomerId::parse("cAbCdEfGh1")));
}

TEST_CASE("a minted id shows its time, counter and log") {
  CHECK(mint_text(recipe(0, 0), 0).substr(0, 17) == "c000000000000log1");
  CHECK(mint_text(recipe(36, 35), 1).substr(0, 17) == "c000000100010log1");
  CHECK(mint_text(recipe(kTimeValues - 1, kIdCounterValues - 1), 0).substr(0, 17) == "czzzzzzzzzzzzlog1");
  CHECK(mint_text(recipe(0, kIdCounterValues - 1), 1).substr(9, 4) == "0000");
}

TEST_CASE("minted ids are 25 characters of the id pattern and the same recipe gives the same id") {
  REQUIRE(rc::check([](std::uint32_t counter, std::uint64_t random, std::uint8_t k) {
    const IdMint mint_recipe = recipe(*rc::gen::inRange<std::int64_t>(0, kTimeValues), counter, random);
    const std::string text = mint_text(mint_recipe, k);
    const bool base36 = std::all_of(text.begin(), text.end(),
                                    [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
    return text.size() == kMintedIdSize && base36 && mint<ChargeId>(mint_recipe, k).text() == text;
  }));
}

TEST_CASE("ids sort in the order in which they were minted") {
  REQUIRE(rc::check([](std::uint64_t random) {
    std::int64_t millis = *rc::gen::inRange<std::int64_t>(0, kTimeValues / 2);
    std::uint32_t counter = 0;
    std::vector<ChargeId> ids;
    for (int batch = 0; batch < 8; ++batch) {
      const auto step_ms = *rc::gen::element<std::int64_t>(0, 1, 1'000'000);
      const auto batch_size = *rc::gen::inRange(1U, 50U);
      if (step_ms > 0) counter = 0;
      millis += step_ms;
      const IdMint mint_recipe = recipe(millis, counter, random++);
      for (unsigned k = 0; k < batch_size; ++k) ids.push_back(mint<ChargeId>(mint_recipe, k));
      counter += batch_size;
    }
    return std::is_sorted(ids.begin(), ids.end()) && std::adjacent_find(ids.begin(), ids.end()) == ids.end();
  }));
}

TEST_CASE("the random parts of one batch differ from each other and from the next batch's") {
  std::unordered_set<std::string> tails;
  for (std::uint64_t random : {1U, 2U}) {
    for (unsigned k = 0; k < 256; ++k) tails.insert(mint_text(recipe(0, 0, random), k).substr(17));
  }
  CHECK(tails.size() == 512);
}

}  // namespace pixledger::domain
