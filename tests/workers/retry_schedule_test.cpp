#include "workers/common/retry_schedule.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace pixledger;
using namespace pixledger::workers;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

// Between the smallest and the largest number of the dice, in the middle of the spread.
milliseconds middle(const RetrySchedule& schedule, unsigned attempt) {
  const auto least = schedule.delay_before(attempt, 0).value();
  return milliseconds((least.count() * 10 + 8) / 9);
}

}  // namespace

TEST_CASE("live webhooks are attempted twelve times over three days") {
  const auto live = RetrySchedule::live();
  milliseconds total{0};
  for (unsigned attempt = 1; attempt <= 12; ++attempt) total += middle(live, attempt);
  REQUIRE(total == 75h + 42min + 35s);
  REQUIRE_FALSE(live.delay_before(13, 0));
}

TEST_CASE("sandbox webhooks are attempted four times within a quarter of an hour") {
  const auto sandbox = RetrySchedule::of(domain::Environment::kSandbox);
  REQUIRE(sandbox.delay_before(1, 77) == 0ms);
  REQUIRE(middle(sandbox, 4) == 10min);
  REQUIRE_FALSE(sandbox.delay_before(5, 0));
}

TEST_CASE("a delay is spread by a tenth at most, both ways") {
  REQUIRE(rc::check([](std::uint64_t dice) {
    const auto delay = RetrySchedule::live().delay_before(3, dice).value();
    RC_ASSERT(delay >= 27s);
    RC_ASSERT(delay <= 33s);
  }));
}

TEST_CASE("a schedule is read from delays with their units") {
  const auto schedule = RetrySchedule::parse("0,5ms,7s,2min,1h").value();
  REQUIRE(schedule.delay_before(1, 9) == 0ms);
  REQUIRE(schedule.delay_before(2, 9) == 5ms);
  REQUIRE(middle(schedule, 3) == 7s);
  REQUIRE(middle(schedule, 4) == 2min);
  REQUIRE(middle(schedule, 5) == 1h);
  REQUIRE_FALSE(schedule.delay_before(6, 9));
}

TEST_CASE("an invalid schedule is refused") {
  for (const auto* text :
       {"", ",", "0,", "5", "5 s", "-5s", "5w", "s", "0,,1s", "721h", "99999999999999999999s"}) {
    CAPTURE(text);
    REQUIRE_FALSE(RetrySchedule::parse(text));
  }
}

TEST_CASE("Retry-After is read as seconds or as a date, up to a day") {
  const Timestamp now(1'445'412'480'000);  // Wed, 21 Oct 2015 07:28:00 GMT
  REQUIRE(parse_retry_after("120", now) == 120s);
  REQUIRE(parse_retry_after("0", now) == 0s);
  REQUIRE(parse_retry_after("999999", now) == 24h);
  REQUIRE(parse_retry_after("99999999999999999999999", now) == 24h);
  REQUIRE(parse_retry_after("Wed, 21 Oct 2015 07:30:00 GMT", now) == 2min);
  REQUIRE(parse_retry_after("Wed, 21 Oct 2015 07:00:00 GMT", now) == 0s);
  REQUIRE_FALSE(parse_retry_after("", now));
  REQUIRE_FALSE(parse_retry_after("-1", now));
  REQUIRE_FALSE(parse_retry_after("-99999999999999999999999", now));
  REQUIRE_FALSE(parse_retry_after("99999999999999999999999 s", now));
  REQUIRE_FALSE(parse_retry_after("soon", now));
}
