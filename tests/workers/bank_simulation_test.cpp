// Random merchants, payers, faults of banks and crashes, in virtual time, against the worker's real parts and
// the real ledger. PIXLEDGER_SEED sets the seed; a failure prints it.
#include "tests/support/bank/bank_simulation.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

namespace pixledger::tests {
namespace {

constexpr unsigned kRuns = 10;
constexpr unsigned kSteps = 1'000;
// A bug shows only together with a fault.
constexpr unsigned kRunsToFind = 40;

std::uint64_t first_seed() {
  const char* given = std::getenv("PIXLEDGER_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

std::vector<std::string> problems_of(const BankSimulationOptions& options, unsigned steps = kSteps) {
  BankSimulation simulation(options);
  simulation.run(steps);
  simulation.come_to_rest();
  return simulation.problems();
}

// The maximum of runs until it shows.
bool is_caught(BankSimulationOptions options) {
  for (options.seed = 1; options.seed <= kRunsToFind; ++options.seed)
    if (!problems_of(options).empty()) return true;
  return false;
}

}  // namespace

TEST_CASE("whatever happens on the way to a bank, its money and the ledger's are the same in the end") {
  const auto first = first_seed();
  BankSimulation::Tally all;
  for (auto seed = first; seed < first + kRuns; ++seed) {
    INFO("seed " << seed);
    BankSimulation simulation({.seed = seed});
    simulation.run(kSteps);
    simulation.come_to_rest();
    REQUIRE(simulation.problems() == std::vector<std::string>());
    const auto tally = simulation.tally();
    all.payments += tally.payments;
    all.devolucoes += tally.devolucoes;
    all.paid += tally.paid;
    all.added += tally.added;
    all.deaths += tally.deaths;
  }
  CHECK(all.paid > 5 * kRuns);
  CHECK(all.payments > all.paid);
  CHECK(all.added > 0);
  CHECK(all.devolucoes > kRuns);
  CHECK(all.deaths > kRuns);
}

TEST_CASE("the simulation of banks finds planted bugs of a worker") {
  CHECK(is_caught({.bug = PlantedBug::kNewIdOnRetry}));
  CHECK(is_caught({.bug = PlantedBug::kNoProjectCheck}));
  CHECK(is_caught({.bug = PlantedBug::kPutWithoutGet}));
}

TEST_CASE("an account cursor that moves too early is found without a later sweep") {
  constexpr std::int64_t kSoonMs = 240'000;
  const BankSimulationOptions without_sweeps{.sweeps = false, .lag_ms_max = kSoonMs};
  CHECK(problems_of(without_sweeps).empty());
  auto planted = without_sweeps;
  planted.bug = PlantedBug::kCursorBeforeCommit;
  CHECK(is_caught(planted));
}

}  // namespace pixledger::tests
