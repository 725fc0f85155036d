#include <atomic>
#include <catch2/catch.hpp>
#include <future>

#include "eventstore/executor/executor.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/ledgers/forwarding_log.h"
#include "tests/support/memory_log.h"
#include "tests/support/seeded_entropy.h"

using namespace pixledger;

namespace {

constexpr std::int64_t kNowMs = 1'790'000'000'000;

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

eventstore::Result execute(eventstore::Executor& executor, domain::Command command) {
  return executor.execute({std::move(command), "operator-test", std::nullopt, "", std::nullopt});
}

domain::CreateProject creation() {
  const auto label = *domain::Label::parse("LOJA");
  return {{label, std::nullopt, label, label}};
}

// Reports that a thread waits for the writers' turn.
class AwaitedLog final : public tests::ForwardingLog {
 public:
  using ForwardingLog::ForwardingLog;

  std::unique_ptr<eventstore::LogWrite> begin_write() override {
    if (!has_come_.exchange(true)) come.set_value();
    return inner_.begin_write();
  }

  std::promise<void> come;

 private:
  std::atomic<bool> has_come_{false};
};

}  // namespace

TEST_CASE("commands that arrive during a write belong to the next batch") {
  tests::FixedClock clock{Timestamp(kNowMs)};
  tests::SeededEntropy entropy{11};
  eventstore::MemoryLog log{{"000102030405060708090a0b0c0d0e0f", 1}};
  AwaitedLog awaited(log);
  Seen seen;
  {
    auto others = log.begin_write();
    eventstore::Executor executor(awaited, clock, entropy, nullptr, {}, &seen);
    const auto submit = [&] {
      executor.submit({creation(), "operator-test", std::nullopt, "", std::nullopt}, [](const auto&) {});
    };
    submit();
    awaited.come.get_future().wait();
    submit();
    submit();
    CHECK(executor.waiting() == 3);
    others.reset();
  }
  CHECK(seen.commands == std::vector<std::size_t>{3});
}

TEST_CASE("an observer is told of every batch, and why one failed") {
  tests::FixedClock clock{Timestamp(kNowMs)};
  tests::SeededEntropy entropy{11};
  eventstore::MemoryLog log{{"000102030405060708090a0b0c0d0e0f", 1}};
  Seen seen;
  {
    eventstore::Executor executor(log, clock, entropy, nullptr, {}, &seen);
    CHECK(std::get<eventstore::Completed>(execute(executor, creation())).outcome.done());
    // Refused without an event: there is nothing to commit.
    execute(executor, domain::RevokeApiKey{*domain::ApiKeyId::parse("0123456789abcdef01234567")});
    clock.set_wall_clock(Timestamp(kNowMs + 3'600'000));
    CHECK(std::holds_alternative<eventstore::Unavailable>(execute(executor, creation())));
    CHECK(executor.waiting() == 0);
  }
  CHECK(seen.commands == std::vector<std::size_t>{1, 1, 1});
  CHECK(seen.events == std::vector<std::size_t>{log.head().position.value(), 0, 0});
  CHECK(seen.committed == std::vector<bool>{true, false, false});
  REQUIRE(seen.faults.size() == 3);
  CHECK(seen.faults[0].empty());
  CHECK(seen.faults[1].empty());
  CHECK(seen.faults[2].find("the clock jumped") != std::string::npos);
  CHECK(seen.in_time);
}

TEST_CASE("an observer is told of a command that found the queue full") {
  tests::FixedClock clock{Timestamp(kNowMs)};
  tests::SeededEntropy entropy{11};
  eventstore::MemoryLog log{{"000102030405060708090a0b0c0d0e0f", 1}};
  Seen seen;
  eventstore::ExecutorOptions no_queue;
  no_queue.queue_commands_max = 0;
  eventstore::Executor executor(log, clock, entropy, nullptr, no_queue, &seen);
  CHECK(std::holds_alternative<eventstore::Unavailable>(execute(executor, creation())));
  CHECK(seen.refused == 1);
  CHECK(seen.commands.empty());
}

namespace {

struct SeenTraces final : eventstore::TraceListener {
  void on_traced(const eventstore::TracedBatch& batch) override {
    in_time = in_time && batch.committed >= batch.commit_began;
    for (const auto& command : batch.commands) {
      trace_ids.push_back(command.trace.trace_id);
      const auto* const completed = std::get_if<eventstore::Completed>(&command.result);
      events.push_back(completed ? completed->events().size() : 0);
      in_time = in_time && command.decided >= command.decide_began;
    }
  }

  std::vector<std::string> trace_ids;
  std::vector<std::size_t> events;
  bool in_time = true;
};

}  // namespace

TEST_CASE("traced commands are reported with the events that they recorded, and no others are") {
  const tests::FixedClock clock{Timestamp(kNowMs)};
  tests::SeededEntropy entropy{1};
  eventstore::MemoryLog log{{"000102030405060708090a0b0c0d0e0f", 1}};
  SeenTraces seen;
  eventstore::ExecutorOptions options;
  options.traces = &seen;
  {
    eventstore::Executor executor(log, clock, entropy, nullptr, options);
    execute(executor, creation());
    CHECK(seen.trace_ids.empty());
    const auto trace = std::make_shared<TraceContext>(
        TraceContext{.trace_id = "12345678901234567890123456789012", .parent_id = "1234567890123456"});
    executor.execute({creation(), "operator-test", std::nullopt, "", std::nullopt, std::nullopt, trace});
  }
  CHECK(seen.trace_ids == std::vector<std::string>{"12345678901234567890123456789012"});
  REQUIRE(seen.events.size() == 1);
  CHECK(seen.events[0] > 0);
  CHECK(seen.in_time);
}
