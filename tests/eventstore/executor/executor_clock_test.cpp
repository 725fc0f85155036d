#include <catch2/catch.hpp>

#include "eventstore/executor/clock_guard.h"
#include "tests/eventstore/executor/executor_fixture.h"

namespace {

using namespace pixledger;
using eventstore::Completed;
using eventstore::Request;
using tests::kNowMs;
using Fixture = tests::ExecutorFixture;

}  // namespace

TEST_CASE("time never decreases along the log") {
  Fixture fixture;
  fixture.clock.set_wall_clock(Timestamp(kNowMs - 30'000));
  const auto completed = fixture.done(fixture.creation());
  CHECK(completed.events().back().recorded_at == Timestamp(kNowMs));
}

TEST_CASE("a clock that jumped stops writes until an operator accepts it") {
  Fixture fixture;
  const auto before = fixture.log.head();
  const auto jump_ms = GENERATE(std::int64_t{-61'000}, std::int64_t{61'000});
  fixture.clock.set_wall_clock(Timestamp(kNowMs + jump_ms));
  const auto refused = fixture.execute(fixture.creation());
  REQUIRE(std::holds_alternative<eventstore::Unavailable>(refused));
  CHECK(std::get<eventstore::Unavailable>(refused).reason.find("clock accept") != std::string::npos);
  CHECK(fixture.log.head() == before);

  SECTION("accepted") {
    fixture.log.accept_clock(eventstore::read_clock(fixture.clock));
    fixture.done(fixture.creation());
  }
  SECTION("set right") {
    fixture.clock.set_wall_clock(Timestamp(kNowMs));
    fixture.done(fixture.creation());
  }
}

TEST_CASE("an acceptance of one jump does not cover another one, even if the first was not noticed") {
  Fixture fixture;
  fixture.clock.set_wall_clock(Timestamp(kNowMs + 3'600'000));
  fixture.log.accept_clock(eventstore::read_clock(fixture.clock));
  SECTION("the clock jumps again") {
    fixture.clock.set_wall_clock(Timestamp(kNowMs + 7'200'000));
    CHECK(std::holds_alternative<eventstore::Unavailable>(fixture.execute(fixture.creation())));
  }
  SECTION("the machine was restarted meanwhile") {
    auto earlier = eventstore::read_clock(fixture.clock);
    earlier.boot_id.back() ^= 1;
    fixture.log.accept_clock(earlier);
    CHECK(std::holds_alternative<eventstore::Unavailable>(fixture.execute(fixture.creation())));
  }
  SECTION("the clock runs as accepted") { fixture.done(fixture.creation()); }
}

TEST_CASE("a process that starts with a clock behind the log waits for an operator too") {
  Fixture fixture;
  fixture.clock.set_wall_clock(Timestamp(kNowMs - 61'000));
  eventstore::Executor late(fixture.log, fixture.clock, fixture.entropy);
  const Request request{fixture.creation(), "operator-test", std::nullopt, "", std::nullopt};
  CHECK(std::holds_alternative<eventstore::Unavailable>(late.execute(request)));
  fixture.log.accept_clock(eventstore::read_clock(fixture.clock));
  CHECK(std::holds_alternative<Completed>(late.execute(request)));
  eventstore::Executor later(fixture.log, fixture.clock, fixture.entropy);
  CHECK(std::holds_alternative<Completed>(later.execute(request)));
}
