#include "tests/support/ledgers/random_ledger.h"

#include <stdexcept>

namespace pixledger::tests {
namespace {

constexpr std::int64_t kStartMs = 1'790'000'000'000;

}  // namespace

RandomLedger::RandomLedger(std::uint64_t seed, unsigned commands)
    : clock_(Timestamp(kStartMs)),
      entropy_(seed),
      commands_(seed),
      log_({"000102030405060708090a0b0c0d0e0f", 1}) {
  eventstore::Executor executor(log_, clock_, entropy_);
  for (unsigned i = 0; i < commands; ++i) {
    clock_.advance_millis(commands_.next_pause_ms());
    auto result = executor.execute(
        {commands_.next(clock_.now()), "operator-simulation", std::nullopt, "", std::nullopt});
    const auto* completed = std::get_if<eventstore::Completed>(&result);
    if (!completed) throw std::runtime_error("a random command was not completed");
    for (const auto& event : completed->events()) {
      commands_.learn(event.stream, event.project, event.event);
      events_.push_back(event);
    }
  }
}

std::vector<domain::ProjectId> RandomLedger::projects() const {
  std::vector<domain::ProjectId> found;
  for (const auto& event : events_) {
    const auto* of_project = std::get_if<domain::ProjectEvent>(&event.event);
    if (of_project && std::holds_alternative<domain::ProjectCreated>(*of_project))
      found.push_back(event.project);
  }
  return found;
}

}  // namespace pixledger::tests
