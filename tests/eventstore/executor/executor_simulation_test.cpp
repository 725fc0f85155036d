#include <catch2/catch.hpp>

#include "eventstore/codec/codec.h"
#include "eventstore/executor/executor.h"
#include "eventstore/reading/state_reader.h"
#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/ledger_model.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/memory_log.h"
#include "tests/support/seeded_entropy.h"

// The random commands of the domain's simulation, through the executor, the codec and the in-memory log.
namespace pixledger::tests {
namespace {

using eventstore::Completed;
using eventstore::kNoLimit;

constexpr std::int64_t kStartMs = 1'790'000'000'000;
constexpr int kCommands = 3000;

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed)
      : entropy_(seed), commands_(seed), log_({"000102030405060708090a0b0c0d0e0f", 1}) {}

  void run() {
    // A new executor now and then: cached states must not change any decision.
    for (int i = 0; i < kCommands; ++i) {
      if (i % 500 == 0) executor_.emplace(log_, clock_, entropy_);
      step();
    }
    model_.audit();
    CHECK(model_.problems() == std::vector<std::string>{});
  }

  // Checks that folding the log from its start gives every stream's state of the last decision.
  void check_fold() {
    std::map<domain::StreamName, std::optional<domain::AggregateState>> folded;
    Position last;
    for (const auto& stored : log_.read_after(Position(), kCommands * 4)) {
      const auto event = eventstore::decode(stored);
      REQUIRE(event.position == last.next());
      last = event.position;
      auto& state = folded[event.stream];
      state = domain::apply(std::move(state), event.event, event.recorded_at);
    }
    REQUIRE(last == log_.head().position);
    eventstore::StateReader states(log_);
    for (const auto& [stream, state] : folded) {
      const auto read = states.find(stream, log_.head());
      REQUIRE(state.has_value() == (read != nullptr));
      if (!state) continue;
      REQUIRE(describe(*state) == describe(*read));
      if (const auto* charge = std::get_if<domain::Charge>(&*state)) model_.compare(*charge);
    }
    CHECK(model_.problems() == std::vector<std::string>{});
  }

 private:
  void step() {
    clock_.advance_millis(commands_.next_pause_ms());
    const auto command = commands_.next(clock_.now());
    const auto result = executor_->execute({command, "operator-simulation", std::nullopt, "", std::nullopt});
    const auto* completed = std::get_if<Completed>(&result);
    REQUIRE(completed);
    const std::vector<domain::RecordedEvent> events(completed->events().begin(), completed->events().end());
    for (const auto& event : events) commands_.learn(event.stream, event.project, event.event);
    model_.observe(command, completed->outcome, events);
  }

  FixedClock clock_{Timestamp(kStartMs)};
  SeededEntropy entropy_;
  RandomCommands commands_;
  LedgerModel model_;
  eventstore::MemoryLog log_;
  std::optional<eventstore::Executor> executor_;
};

}  // namespace

TEST_CASE("random commands through the executor keep the rules, and the log folds to the same state") {
  const auto seed = seed_from_environment(21);
  INFO("PIXLEDGER_SEED=" << seed);
  Simulation simulation(seed);
  simulation.run();
  simulation.check_fold();
}

}  // namespace pixledger::tests
