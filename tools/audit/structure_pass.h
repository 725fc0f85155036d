#pragma once

#include <vector>

#include "eventstore/log/ledger_log.h"
#include "tools/audit/finding.h"

namespace pixledger::tools {

// What a pass over the positions 1, 2, 3… found.
struct Structure {
  std::optional<Finding> finding;  // the first; nothing after it was read
  std::uint64_t events = 0;
  std::uint64_t personal = 0;  // events with personal data
  std::uint64_t erased = 0;    // events whose personal data is gone
  // Unless envelopes were read, the first moment and nothing.
  Timestamp newest;                // of the last event
  std::vector<Position> erasures;  // of customers
  Digest root{};                   // of the tree over these events
};

// Reads the events up to `end` with their personal data and tree records, in order: no gaps, the digests are
// those of the data, the tree is that of the events. `reads_envelopes`: and their times never decrease.
Structure check_structure(const eventstore::LedgerLog& log, Position end, bool reads_envelopes,
                          const VerifyProgress& progress);

}  // namespace pixledger::tools
