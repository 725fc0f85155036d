#include "eventstore/executor.h"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>
#include <set>

#include "eventstore/clock_guard.h"
#include "eventstore/codec.h"
#include "eventstore/memory_log.h"
#include "eventstore/state_reader.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/forwarding_log.h"
#include "tests/support/seeded_entropy.h"

namespace {

using namespace pixledger;
using eventstore::Completed;
using eventstore::Request;
using eventstore::Result;

constexpr std::int64_t kNowMs = 1'790'000'000'000;

domain::Label label(std::string_view text) { return *domain::Label::parse(text); }

struct Fixture {
  Result execute(domain::Command command,
                 std::optional<eventstore::IdempotencyKey> idempotency = std::nullopt,
                 std::optional<domain::ApiKeyId> key = std::nullopt) {
    return executor.execute({std::move(command), "operator-test", key, "req_1", idempotency});
  }
  Completed done(domain::Command command) {
    auto completed = std::get<Completed>(execute(std::move(command)));
    REQUIRE(completed.outcome.done());
    return completed;
  }

  domain::CreateCharge creation(const std::string& document = "52998224725") const {
    return {project,
            domain::Environment::kSandbox,
            *domain::DocumentToken::parse(std::string(32 - document.size(), '0') + document),
            {*domain::PersonName::parse("Ana"),
             *domain::Document::parse(document),
             *domain::EmailAddress::parse("ana@example.com"),
             *domain::Phone::parse("11987654321"),
             {}},
            domain::Cents(500),
            *domain::ProductName::parse("Produto"),
            1,
            std::nullopt,
            *domain::OriginHost::parse("loja.example.com"),
            std::nullopt,
            std::nullopt,
            std::nullopt};
  }

  // What no command would append.
  void append(std::vector<eventstore::NewRecord> records,
              std::vector<eventstore::NewIdempotencyRecord> remembered, std::uint32_t id_counter = 0) {
    const auto write = log.begin_write();
    write->append({write->head().time, id_counter, std::move(records), std::move(remembered)});
    write->commit();
  }

  static domain::ChargeId charge_of(const Completed& completed) {
    return std::get<domain::ChargeCreated>(std::get<domain::ChargeEvent>(completed.events().back().event)).id;
  }

  domain::ApiKeyId issue_key() {
    const auto id = *domain::ApiKeyId::parse("0123456789abcdef01234567");
    done(domain::IssueApiKey{
        id, project, domain::Environment::kSandbox, {}, domain::ScopeSet::all(), false, std::nullopt, {}});
    return id;
  }

  tests::FixedClock clock{domain::Timestamp(kNowMs)};
  tests::SeededEntropy entropy{11};
  eventstore::MemoryLog log{{"000102030405060708090a0b0c0d0e0f", 1}};
  eventstore::Executor executor{log, clock, entropy};
  domain::ProjectId project =
      done(domain::CreateProject{{label("Loja"), std::nullopt, label("LOJA"), label("RECIFE")}})
          .events()
          .front()
          .project;
};

eventstore::IdempotencyKey idempotency(std::string_view key, std::string_view body) {
  return {eventstore::sha256(key), eventstore::sha256(body)};
}

// Holds the committer inside a completion until everything is submitted, so that the rest comes in one batch.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

std::vector<Result> execute_in_one_batch(Fixture& fixture, std::vector<Request> requests) {
  Gate entered;
  Gate gate;
  Gate finished;
  std::vector<Result> results;
  fixture.executor.submit(
      {domain::ChangeStoreSettings{fixture.project,
                                   {label("Loja"), std::nullopt, label("LOJA"), label("RECIFE")}},
       "operator-test", std::nullopt, "", std::nullopt},
      [&](Result) {
        entered.open();
        gate.wait();
      });
  entered.wait();
  const auto count = requests.size();
  for (auto& request : requests) {
    fixture.executor.submit(std::move(request), [&](Result result) {
      results.push_back(std::move(result));
      if (results.size() == count) finished.open();
    });
  }
  gate.open();
  finished.wait();
  return results;
}

}  // namespace

TEST_CASE("a command's events are in the log when it completes") {
  Fixture fixture;
  const auto completed = fixture.done(fixture.creation());
  REQUIRE(completed.events().size() == 2);
  CHECK(completed.position == fixture.log.head().position);
  const auto stored = fixture.log.read_after(domain::Position(completed.position.value() - 1), 10);
  REQUIRE(stored.size() == 1);
  CHECK(eventstore::decode(stored.front()).stream == completed.events().back().stream);
}

TEST_CASE("commands of one batch see each other's events and share its time, with ids in order") {
  Fixture fixture;
  std::vector<Request> requests;
  for (int i = 0; i < 50; ++i)
    requests.push_back({fixture.creation(), "operator-test", std::nullopt, "", std::nullopt});
  const auto results = execute_in_one_batch(fixture, std::move(requests));
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

TEST_CASE("ids keep the log's order when a millisecond has no more of them") {
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

TEST_CASE("a rejected command costs the others of its batch nothing") {
  Fixture fixture;
  const auto missing = *domain::ChargeId::parse("cmissing0000");
  const auto results = execute_in_one_batch(
      fixture,
      {{fixture.creation(), "operator-test", std::nullopt, "", std::nullopt},
       {domain::PaySandboxCharge{{fixture.project, false}, missing}, "", std::nullopt, "", std::nullopt},
       {fixture.creation("11144477735"), "operator-test", std::nullopt, "", std::nullopt}});
  CHECK(std::get<Completed>(results[0]).outcome.done());
  CHECK(std::get<Completed>(results[1]).outcome.rejection == domain::Rejection::kTransactionNotFound);
  CHECK(std::get<Completed>(results[2]).outcome.done());
}

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
  const auto results = execute_in_one_batch(fixture, {request, request});
  CHECK(std::holds_alternative<Completed>(results[0]));
  CHECK(std::holds_alternative<eventstore::KeyInFlight>(results[1]));
}

TEST_CASE("a stream that cannot be read costs only the commands that look at it") {
  Fixture fixture;
  const auto damaged = Fixture::charge_of(fixture.done(fixture.creation()));
  fixture.append({{domain::charge_stream(damaged), 2, "no event", "", {}}}, {});
  const domain::PaySandboxCharge pay{{fixture.project, false}, damaged};
  for (int i = 0; i < 2; ++i) {
    const auto results = execute_in_one_batch(
        fixture, {{pay, "operator-test", std::nullopt, "", std::nullopt},
                  {fixture.creation(), "operator-test", std::nullopt, "", std::nullopt}});
    CHECK(std::holds_alternative<eventstore::Unavailable>(results[0]));
    CHECK(std::holds_alternative<Completed>(results[1]));
  }
}

TEST_CASE("an idempotency record that cannot be read costs only the command that names it") {
  Fixture fixture;
  fixture.append({}, {{eventstore::sha256("k"), "no record"}});
  const auto results = execute_in_one_batch(
      fixture, {{fixture.creation(), "operator-test", std::nullopt, "", idempotency("k", "a")},
                {fixture.creation(), "operator-test", std::nullopt, "", std::nullopt}});
  CHECK(std::holds_alternative<eventstore::Unavailable>(results[0]));
  CHECK(std::holds_alternative<Completed>(results[1]));
}

TEST_CASE("a key that was revoked stops within the very next write") {
  Fixture fixture;
  const auto key = fixture.issue_key();
  CHECK(std::get<Completed>(fixture.execute(fixture.creation(), std::nullopt, key)).outcome.done());
  fixture.done(domain::RevokeApiKey{key});
  CHECK(std::get<Completed>(fixture.execute(fixture.creation(), std::nullopt, key)).outcome.rejection ==
        domain::Rejection::kApiKeyUnusable);
}

TEST_CASE("time never decreases along the log") {
  Fixture fixture;
  fixture.clock.set_wall_clock(domain::Timestamp(kNowMs - 30'000));
  const auto completed = fixture.done(fixture.creation());
  CHECK(completed.events().back().recorded_at == domain::Timestamp(kNowMs));
}

TEST_CASE("a clock that jumped stops writes until an operator accepts it") {
  Fixture fixture;
  const auto before = fixture.log.head();
  const auto jump_ms = GENERATE(std::int64_t{-61'000}, std::int64_t{61'000});
  fixture.clock.set_wall_clock(domain::Timestamp(kNowMs + jump_ms));
  const auto refused = fixture.execute(fixture.creation());
  REQUIRE(std::holds_alternative<eventstore::Unavailable>(refused));
  CHECK(std::get<eventstore::Unavailable>(refused).reason.find("clock accept") != std::string::npos);
  CHECK(fixture.log.head() == before);

  SECTION("accepted") {
    fixture.log.accept_clock(eventstore::read_clock(fixture.clock));
    fixture.done(fixture.creation());
  }
  SECTION("right again") {
    fixture.clock.set_wall_clock(domain::Timestamp(kNowMs));
    fixture.done(fixture.creation());
  }
}

TEST_CASE("an acceptance of one jump does not cover another one, even where the first was not noticed") {
  Fixture fixture;
  fixture.clock.set_wall_clock(domain::Timestamp(kNowMs + 3'600'000));
  fixture.log.accept_clock(eventstore::read_clock(fixture.clock));
  SECTION("the clock jumps on") {
    fixture.clock.set_wall_clock(domain::Timestamp(kNowMs + 7'200'000));
    CHECK(std::holds_alternative<eventstore::Unavailable>(fixture.execute(fixture.creation())));
  }
  SECTION("the machine was started again meanwhile") {
    auto earlier = eventstore::read_clock(fixture.clock);
    earlier.boot_id.back() ^= 1;
    fixture.log.accept_clock(earlier);
    CHECK(std::holds_alternative<eventstore::Unavailable>(fixture.execute(fixture.creation())));
  }
  SECTION("the clock goes as it was accepted") { fixture.done(fixture.creation()); }
}

TEST_CASE("a process that starts behind the log waits for an operator too") {
  Fixture fixture;
  fixture.clock.set_wall_clock(domain::Timestamp(kNowMs - 61'000));
  eventstore::Executor late(fixture.log, fixture.clock, fixture.entropy);
  const Request request{fixture.creation(), "operator-test", std::nullopt, "", std::nullopt};
  CHECK(std::holds_alternative<eventstore::Unavailable>(late.execute(request)));
  fixture.log.accept_clock(eventstore::read_clock(fixture.clock));
  CHECK(std::holds_alternative<Completed>(late.execute(request)));
  eventstore::Executor later(fixture.log, fixture.clock, fixture.entropy);
  CHECK(std::holds_alternative<Completed>(later.execute(request)));
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
  Gate gate;
  Gate entered;
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
  fixture.done(domain::ChangeStoreSettings{fixture.project,
                                           {label("Outra"), std::nullopt, label("LOJA"), label("RECIFE")}});
  CHECK(name() == "Outra");
  CHECK(states.find(domain::project_stream(*domain::ProjectId::parse("cmissing0000")), fixture.log.head()) ==
        nullptr);
}

TEST_CASE("an observer is told of every batch, and why one failed") {
  class Seen final : public eventstore::ExecutorObserver {
   public:
    void on_batch(const eventstore::BatchReport& report) override {
      commands.push_back(report.results.size());
      events.push_back(report.events);
      committed.push_back(report.commit.count() > 0);
      faults.emplace_back(report.fault);
      in_time = in_time && report.duration >= report.commit;
    }
    void on_queue_full() override { ++refused; }

    std::vector<std::size_t> commands;
    std::vector<std::size_t> events;
    std::vector<bool> committed;
    std::vector<std::string> faults;
    bool in_time = true;
    int refused = 0;
  };
  Seen seen;
  Fixture fixture;
  eventstore::Executor executor(fixture.log, fixture.clock, fixture.entropy, nullptr, {}, &seen);
  const auto execute = [&](domain::Command command) {
    return executor.execute({std::move(command), "operator-test", std::nullopt, "", std::nullopt});
  };
  const auto created = std::get<Completed>(execute(fixture.creation()));
  CHECK(created.outcome.done());
  // Nothing to record, so nothing to commit.
  execute(domain::ExpireOverdueCharge{Fixture::charge_of(created)});
  fixture.clock.set_wall_clock(domain::Timestamp(kNowMs + 3'600'000));
  CHECK(std::holds_alternative<eventstore::Unavailable>(execute(fixture.creation())));

  CHECK(seen.commands == std::vector<std::size_t>{1, 1, 1});
  CHECK(seen.events == std::vector<std::size_t>{2, 0, 0});
  CHECK(seen.committed == std::vector<bool>{true, false, false});
  REQUIRE(seen.faults.size() == 3);
  CHECK(seen.faults[0].empty());
  CHECK(seen.faults[1].empty());
  CHECK(seen.faults[2].find("the clock jumped") != std::string::npos);
  CHECK(seen.in_time);

  eventstore::ExecutorOptions no_queue;
  no_queue.queue_commands_max = 0;
  eventstore::Executor full(fixture.log, fixture.clock, fixture.entropy, nullptr, no_queue, &seen);
  CHECK(std::holds_alternative<eventstore::Unavailable>(
      full.execute({fixture.creation(), "operator-test", std::nullopt, "", std::nullopt})));
  CHECK(seen.refused == 1);
  CHECK(full.waiting() == 0);
}
