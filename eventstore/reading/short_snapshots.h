#pragma once

#include <chrono>
#include <string>

#include "eventstore/log/ledger_log.h"

namespace pixledger::eventstore {

// The longest time that one snapshot is read: it keeps alive all that is written meanwhile.
constexpr std::chrono::milliseconds kSnapshotMax{50};

// Calls `visit(snapshot, entry)` for the entries of the cursors that `open(snapshot)` makes, in successive
// short snapshots, until it returns false.
template <class Open, class Visit>
void visit_in_short_snapshots(const LedgerLog& log, const Open& open, const Visit& visit) {
  std::string place;
  while (true) {
    const auto deadline = std::chrono::steady_clock::now() + kSnapshotMax;
    const auto snapshot = log.snapshot();
    const auto cursor = open(*snapshot);
    bool more = cursor->seek(place);
    for (; more && std::chrono::steady_clock::now() < deadline; more = cursor->next()) {
      if (!visit(*snapshot, cursor->entry())) return;
    }
    if (!more) return;
    place = cursor->place();
  }
}

}  // namespace pixledger::eventstore
