#include <catch2/catch.hpp>

#include "base/process/logging.h"

using namespace pixledger;

using namespace std::chrono_literals;

TEST_CASE("the first call passes, and then one per pause") {
  AtMostEvery pause(1min);
  const AtMostEvery::Clock::time_point start{1h};
  CHECK(pause.due(start));
  CHECK_FALSE(pause.due(start));
  CHECK_FALSE(pause.due(start + 59s));
  CHECK(pause.due(start + 60s));
  CHECK_FALSE(pause.due(start + 61s));
}
