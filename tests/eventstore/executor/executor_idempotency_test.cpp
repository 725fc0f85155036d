#include <catch2/catch.hpp>

#include "tests/eventstore/executor/executor_fixture.h"
#include "tests/support/ledgers/forwarding_log.h"

namespace {

using namespace pixledger;
using eventstore::Completed;
using eventstore::Request;
using tests::idempotency;
using Fixture = tests::ExecutorFixture;

}  // namespace

TEST_CASE("a repeat with the same idempotency key is answered from the recorded events") {
  Fixture fixture;
  const auto first = std::get<Completed>(fixture.execute(fixture.creation(), idempotency("k", "a")));
  const auto before = fixture.log.head();
  const auto again = std::get<Completed>(fixture.execute(fixture.creation(), idempotency("k", "a")));
  CHECK(again.replayed);
  CHECK(again.first_request_id == "req_1");
  CHECK(Fixture::charge_of(again) == Fixture::charge_of(first));
  CHECK(fixture.log.head() == before);
  CHECK(std::holds_alternative<eventstore::KeyReused>(
      fixture.execute(fixture.creation(), idempotency("k", "b"))));
}

TEST_CASE("an idempotency key is new again after 48 hours") {
  Fixture fixture;
  const auto create = [&](std::string_view body) {
    return fixture.execute(fixture.creation(), idempotency("k", body));
  };
  const auto first = std::get<Completed>(create("a"));
  fixture.clock.advance_millis(eventstore::kIdempotencyKeptMs);
  CHECK(std::get<Completed>(create("a")).replayed);
  CHECK(std::holds_alternative<eventstore::KeyReused>(create("b")));
  fixture.clock.advance_millis(1);
  const auto second = std::get<Completed>(create("b"));
  CHECK_FALSE(second.replayed);
  CHECK_FALSE(Fixture::charge_of(second) == Fixture::charge_of(first));
  CHECK(Fixture::charge_of(std::get<Completed>(create("b"))) == Fixture::charge_of(second));
}

TEST_CASE("a repeat is answered in full when the log hands out its events one by one") {
  class OneByOne final : public tests::ForwardingLog {
   public:
    using ForwardingLog::ForwardingLog;
    std::vector<eventstore::StoredEvent> read_after(domain::Position after, std::size_t) const override {
      return inner_.read_after(after, 1);
    }
  };
  Fixture fixture;
  OneByOne slow(fixture.log);
  eventstore::Executor executor(slow, fixture.clock, fixture.entropy);
  const Request request{fixture.creation(), "operator-test", std::nullopt, "", idempotency("k", "a")};
  const auto first = std::get<Completed>(executor.execute(request));
  const auto again = executor.execute(request);
  REQUIRE(std::holds_alternative<Completed>(again));
  CHECK(std::get<Completed>(again).replayed);
  CHECK(std::get<Completed>(again).events().size() == 2);
  CHECK(Fixture::charge_of(std::get<Completed>(again)) == Fixture::charge_of(first));
}

TEST_CASE("the same idempotency key twice in one batch is in flight") {
  Fixture fixture;
  const Request request{fixture.creation(), "operator-test", std::nullopt, "", idempotency("k", "a")};
  const auto results = tests::execute_in_one_batch(fixture, {request, request});
  CHECK(std::holds_alternative<Completed>(results[0]));
  CHECK(std::holds_alternative<eventstore::KeyInFlight>(results[1]));
}

TEST_CASE("an idempotency record that cannot be read costs only the command that names it") {
  Fixture fixture;
  fixture.append({}, {{eventstore::sha256("k"), "no record"}});
  const auto results = tests::execute_in_one_batch(
      fixture, {{fixture.creation(), "operator-test", std::nullopt, "", idempotency("k", "a")},
                {fixture.creation(), "operator-test", std::nullopt, "", std::nullopt}});
  CHECK(std::holds_alternative<eventstore::Unavailable>(results[0]));
  CHECK(std::holds_alternative<Completed>(results[1]));
}
