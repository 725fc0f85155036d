#include "base/platform/clock_and_entropy.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>

#include "tests/support/fixed_clock.h"
#include "tests/support/seeded_entropy.h"

using namespace pixledger;

TEST_CASE("the system's clock tells the time in milliseconds") {
  using namespace std::chrono;
  const auto standard_millis = [] {
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  };
  const auto before = standard_millis();
  const Timestamp now = SystemClock().now();
  const auto after = standard_millis();
  CHECK(now.millis() >= before);
  CHECK(now.millis() <= after);
}

TEST_CASE("the time since boot never goes backwards") {
  const SystemClock clock;
  const std::int64_t first = clock.boot_millis();
  CHECK(first > 0);
  CHECK(clock.boot_millis() >= first);
}

TEST_CASE("the boot id is the same for as long as the machine runs") {
  CHECK(SystemClock().boot_id().size() == 36);
  CHECK(SystemClock().boot_id() == SystemClock().boot_id());
}

TEST_CASE("the system's entropy fills its whole buffer, with different bytes each time") {
  SystemEntropy entropy;
  std::array<std::byte, 64> first{};
  std::array<std::byte, 64> second{};
  entropy.fill(first);
  entropy.fill(second);
  CHECK(first != second);
  CHECK(std::count(first.begin(), first.end(), std::byte{0}) < 16);
  entropy.fill({});
}

TEST_CASE("a fixed clock stands still until it is moved, and setting it leaves the time since boot") {
  pixledger::tests::FixedClock clock(Timestamp(5000), 100);
  CHECK(clock.now() == Timestamp(5000));
  clock.advance_millis(7);
  CHECK(clock.now() == Timestamp(5007));
  CHECK(clock.boot_millis() == 107);
  clock.set_wall_clock(Timestamp(1));
  CHECK(clock.now() == Timestamp(1));
  CHECK(clock.boot_millis() == 107);
}

TEST_CASE("seeded entropy repeats itself for the same seed only") {
  pixledger::tests::SeededEntropy one(1);
  pixledger::tests::SeededEntropy same(1);
  pixledger::tests::SeededEntropy other(2);
  std::array<std::byte, 16> first{};
  std::array<std::byte, 16> second{};
  std::array<std::byte, 16> third{};
  one.fill(first);
  same.fill(second);
  other.fill(third);
  CHECK(first == second);
  CHECK(first != third);
}
