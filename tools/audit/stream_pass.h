#pragma once

#include "eventstore/log/ledger_log.h"
#include "tools/audit/finding.h"
#include "tools/audit/personal_rules.h"

namespace pixledger::tools {

// What a pass over all streams found.
struct Streams {
  std::optional<Finding> finding;  // the one at the lowest position
  std::uint64_t events = 0;        // that stand in the index where they say
  std::uint64_t streams = 0;
  std::uint64_t claims = 0;  // that events state
};

// Folds one stream after the other, from the events up to `end`: each is its stream's next version, says so
// itself, was legal in the state that it met, and holds the names that it states. Needs the memory of one
// stream.
Streams check_streams(const eventstore::LedgerLog& log, Position end, const Erasures& erasures,
                      const VerifyProgress& progress);

}  // namespace pixledger::tools
