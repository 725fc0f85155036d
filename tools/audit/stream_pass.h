#pragma once

#include "eventstore/log/ledger_log.h"
#include "tools/audit/finding.h"
#include "tools/audit/personal_rules.h"

namespace pixledger::tools {

// The result of a pass over streams.
struct Streams {
  std::optional<Finding> finding;  // the one at the lowest position
  std::uint64_t events = 0;        // events that the index has at their position
  std::uint64_t streams = 0;
  std::uint64_t claims = 0;  // claims that events state
};

// Folds one stream after the other, from the events up to `end`: all streams if `after` is 0, otherwise those
// with an event after that position, from their first event on. Checks that each event is its stream's next
// version, states that version, was legal in the state before it, and that its claims are stored. Needs the
// memory of one stream. `erasures` are those after `after`.
Streams check_streams(const eventstore::LedgerLog& log, Position after, Position end,
                      const Erasures& erasures, const VerifyProgress& progress);

}  // namespace pixledger::tools
