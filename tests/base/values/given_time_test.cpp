#include <catch2/catch.hpp>

#include "base/values/timestamp.h"

using namespace pixledger;

TEST_CASE("a date is a whole day, a time is one moment") {
  const auto date = GivenTime::parse("2024-02-29");
  REQUIRE(date);
  CHECK(date->day()->number == 19'782);
  CHECK_FALSE(date->moment());
  const auto time = GivenTime::parse("2024-02-29T12:00:00.5-03:00");
  REQUIRE(time);
  CHECK_FALSE(time->day());
  CHECK(time->moment() == *parse_iso8601("2024-02-29T15:00:00.500Z"));
}

TEST_CASE("a text that is neither date nor time is refused") {
  for (const auto* text :
       {"", "2h", "2023-02-29", "2024-02-29T12:00:00", "2024-02-29 12:00:00Z", "29/02/2024"})
    CHECK_FALSE(GivenTime::parse(text));
}
