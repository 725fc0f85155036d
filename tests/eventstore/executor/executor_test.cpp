#include "eventstore/executor/executor.h"

#include <catch2/catch.hpp>
#include <set>

#include "eventstore/codec/codec.h"
#include "eventstore/reading/state_reader.h"
#include "tests/eventstore/executor/executor_fixture.h"

namespace {

using namespace pixledger;
using eventstore::Completed;
using eventstore::Request;
using eventstore::Result;
using tests::idempotency;
using tests::kNowMs;
using Fixture = tests::ExecutorFixture;

}  // namespace

TEST_CASE("a command's events are in the log when it completes") {
  Fixture fixture;
  const auto completed = fixture.done(fixture.creation());
  REQUIRE(completed.events().size() == 2);
  CHECK(completed.position == fixture.log.head().position);
  const auto stored = fixture.log.read_after(Position(completed.position.value() - 1), 10);
  REQUIRE(stored.size() == 1);
  CHECK(eventstore::decode(stored.front()).stream == completed.events().back().stream);
}

TEST_CASE("commands of one batch see each other's events and share its time, with ids in order") {
  Fixture fixture;
  std::vector<Request> requests;
  for (int i = 0; i < 50; ++i)
    requests.push_back({fixture.creation(), "operator-test", std::nullopt, "", std::nullopt});
  const auto results = tests::execute_in_one_batch(fixture, std::move(requests));
  std::vector<std::string> ids;
  std::size_t customers = 0;
  for (const auto& result : results) {
    const auto& completed = std::get<Completed>(result);
    customers += completed.events().size() - 1;
    ids.push_back(Fixture::charge_of(completed).text());
    CHECK(completed.position == fixture.log.head().position);
  }
  CHECK(customers == 1);
  CHECK(std::is_sorted(ids.begin(), ids.end()));
  CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == ids.size());
}

TEST_CASE("ids keep the log's order when those of a millisecond are used up") {
  Fixture fixture;
  const auto before = fixture.log.head().time;
  fixture.append({}, {}, domain::kIdCounterValues - 2 * domain::kIdsPerDecisionMax);
  const auto last = fixture.done(fixture.creation());
  const auto full = fixture.done(fixture.creation("11144477735"));
  const auto next = fixture.done(fixture.creation("52998224725"));
  CHECK(last.events().back().recorded_at == before);
  CHECK(full.events().back().recorded_at == before);
  CHECK(next.events().back().recorded_at == before.plus_millis(1));
  CHECK(Fixture::charge_of(last) < Fixture::charge_of(full));
  CHECK(Fixture::charge_of(full) < Fixture::charge_of(next));
}

TEST_CASE("a rejected command does not affect the others of its batch") {
  Fixture fixture;
  const auto missing = *domain::ChargeId::parse("cmissing0000");
  const auto results = tests::execute_in_one_batch(
      fixture,
      {{fixture.creation(), "operator-test", std::nullopt, "", std::nullopt},
       {domain::PaySandboxCharge{{fixture.project, false}, missing}, "", std::nullopt, "", std::nullopt},
       {fixture.creation("11144477735"), "operator-test", std::nullopt, "", std::nullopt}});
  CHECK(std::get<Completed>(results[0]).outcome.done());
  CHECK(std::get<Completed>(results[1]).outcome.rejection == domain::Rejection::kTransactionNotFound);
  CHECK(std::get<Completed>(results[2]).outcome.done());
}

TEST_CASE("a completed command knows the position right after it, and when it was decided") {
  Fixture fixture;
  const auto charge = Fixture::charge_of(fixture.done(fixture.creation()));
  const auto before = fixture.log.head().position;
  const domain::Caller owner{fixture.project, false};
  const auto results = tests::execute_in_one_batch(
      fixture, {{domain::CancelCharge{owner, charge}, "", std::nullopt, "", idempotency("k", "a")},
                {domain::CancelCharge{owner, charge}, "", std::nullopt, "", idempotency("l", "a")},
                {fixture.creation("11144477735"), "", std::nullopt, "", std::nullopt}});
  const auto& cancelled = std::get<Completed>(results[0]);
  const auto& refused = std::get<Completed>(results[1]);
  CHECK(cancelled.as_of == before.next());
  CHECK(refused.as_of == before.next());
  CHECK(std::get<Completed>(results[2]).as_of == fixture.log.head().position);
  CHECK(cancelled.position == fixture.log.head().position);
  CHECK(cancelled.decided_at == Timestamp(kNowMs));

  SECTION("a repeat has the first position and time, with events or without") {
    fixture.clock.advance_millis(5'000);
    fixture.done(fixture.creation("93541134780"));
    for (const auto* key : {"k", "l"}) {
      const auto again =
          std::get<Completed>(fixture.execute(domain::CancelCharge{owner, charge}, idempotency(key, "a")));
      CHECK(again.replayed);
      CHECK(again.as_of == before.next());
      CHECK(again.decided_at == Timestamp(kNowMs));
    }
  }
}

TEST_CASE("refusals of one batch are counted together with those of earlier ones") {
  Fixture fixture;
  fixture.done(domain::AddBlocklistEntry{fixture.project,
                                         domain::parse_blocklist_value("document", "52998224725").value(),
                                         std::nullopt, fixture.creation().environment});
  const auto recorded = [&fixture](std::size_t requests) {
    std::size_t count = 0;
    const Request request{fixture.creation(), "", std::nullopt, "", std::nullopt};
    for (const auto& result : tests::execute_in_one_batch(fixture, std::vector<Request>(requests, request))) {
      CHECK(std::get<Completed>(result).outcome.rejection == domain::Rejection::kBlocklisted);
      count += std::get<Completed>(result).count;
    }
    return count;
  };
  CHECK(recorded(60) == 60);
  CHECK(recorded(60) == 40);
  CHECK(recorded(2) == 0);
}

TEST_CASE("a stream that cannot be read fails only the commands that load it") {
  Fixture fixture;
  const auto damaged = Fixture::charge_of(fixture.done(fixture.creation()));
  fixture.append({{domain::charge_stream(damaged), 2, "no event", "", {}}}, {});
  const domain::PaySandboxCharge pay{{fixture.project, false}, damaged};
  for (int i = 0; i < 2; ++i) {
    const auto results = tests::execute_in_one_batch(
        fixture, {{pay, "operator-test", std::nullopt, "", std::nullopt},
                  {fixture.creation(), "operator-test", std::nullopt, "", std::nullopt}});
    CHECK(std::holds_alternative<eventstore::Unavailable>(results[0]));
    CHECK(std::holds_alternative<Completed>(results[1]));
  }
}

TEST_CASE("a key that was revoked stops within the very next write") {
  Fixture fixture;
  const auto key = fixture.issue_key();
  CHECK(std::get<Completed>(fixture.execute(fixture.creation(), std::nullopt, key)).outcome.done());
  fixture.done(domain::RevokeApiKey{key});
  CHECK(std::get<Completed>(fixture.execute(fixture.creation(), std::nullopt, key)).outcome.rejection ==
        domain::Rejection::kApiKeyUnusable);
}

TEST_CASE("a repeat is not answered to a key that was revoked meanwhile") {
  Fixture fixture;
  const auto key = fixture.issue_key();
  const eventstore::IdempotencyKey once{{1}, {2}};
  CHECK(std::get<Completed>(fixture.execute(fixture.creation(), once, key)).outcome.done());
  CHECK(std::get<Completed>(fixture.execute(fixture.creation(), once, key)).replayed);
  fixture.done(domain::RevokeApiKey{key});
  const auto refused = std::get<Completed>(fixture.execute(fixture.creation(), once, key));
  CHECK(refused.outcome.rejection == domain::Rejection::kApiKeyUnusable);
  CHECK_FALSE(refused.replayed);
}

TEST_CASE("two executors on one log see each other's events") {
  Fixture fixture;
  eventstore::Executor other(fixture.log, fixture.clock, fixture.entropy);
  const auto charge = Fixture::charge_of(fixture.done(fixture.creation()));
  const domain::PaySandboxCharge pay{{fixture.project, false}, charge};
  const auto paid = other.execute({pay, "operator-test", std::nullopt, "", std::nullopt});
  CHECK(std::get<Completed>(paid).outcome.done());
  CHECK(std::get<Completed>(fixture.execute(pay)).outcome.rejection == domain::Rejection::kTransactionStatus);
}

TEST_CASE("a full queue refuses at once and changes nothing") {
  Fixture fixture;
  eventstore::ExecutorOptions options;
  options.queue_commands_max = 1;
  tests::Gate gate;
  tests::Gate entered;
  std::optional<Result> refused;
  {
    eventstore::Executor small(fixture.log, fixture.clock, fixture.entropy, nullptr, options);
    const Request request{fixture.creation(), "operator-test", std::nullopt, "", std::nullopt};
    small.submit(request, [&](Result) {
      entered.open();
      gate.wait();
    });
    entered.wait();
    small.submit(request, [](Result) {});
    small.submit(request, [&](Result result) { refused = std::move(result); });
    gate.open();
  }
  REQUIRE(refused);
  CHECK(std::holds_alternative<eventstore::Unavailable>(*refused));
}

TEST_CASE("the readers' cached states are as of the log's head") {
  Fixture fixture;
  eventstore::StateReader states(fixture.log);
  const auto stream = domain::project_stream(fixture.project);
  const auto name = [&] {
    return std::get<domain::Project>(*states.find(stream, fixture.log.head())).settings.name.text();
  };
  CHECK(name() == "Loja");
  domain::StoreSettingsChange change;
  change.name = tests::label("Outra");
  fixture.done(domain::ChangeStoreSettings{fixture.project, change});
  CHECK(name() == "Outra");
  CHECK(states.find(domain::project_stream(*domain::ProjectId::parse("cmissing0000")), fixture.log.head()) ==
        nullptr);
}
