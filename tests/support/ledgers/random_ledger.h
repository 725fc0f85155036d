#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/aggregates/event.h"
#include "eventstore/executor/executor.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/memory_log.h"
#include "tests/support/seeded_entropy.h"

namespace pixledger::tests {

// A ledger in memory with some days of random commands. The same seed gives the same ledger.
class RandomLedger {
 public:
  RandomLedger(std::uint64_t seed, unsigned commands);

  const eventstore::MemoryLog& log() const { return log_; }
  eventstore::MemoryLog& log() { return log_; }
  const std::vector<domain::RecordedEvent>& events() const { return events_; }
  std::vector<domain::ProjectId> projects() const;

 private:
  FixedClock clock_;
  SeededEntropy entropy_;
  RandomCommands commands_;
  eventstore::MemoryLog log_;
  std::vector<domain::RecordedEvent> events_;
};

}  // namespace pixledger::tests
