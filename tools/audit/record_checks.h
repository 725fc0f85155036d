#pragma once

#include "eventstore/log/ledger_log.h"
#include "tools/audit/finding.h"

// What the passes over events and streams do not see.
namespace pixledger::tools {

// The ledger at one moment.
struct LedgerMark {
  Position head;
  std::uint64_t claims = 0;
};
LedgerMark mark_of(const eventstore::LedgerLog& log);

// The records of `meta` are those that were written.
std::optional<Finding> check_meta(const eventstore::LedgerLog& log);

// Nothing lies beyond the head. `newest` is the time of an event, which the head's is not before.
std::optional<Finding> check_ends(const eventstore::LedgerLog& log, Timestamp newest);

// Every idempotency record is the one that was written, and its time stands in the index of times, which has
// no others. Records of before there was a check are only read.
std::optional<Finding> check_idempotency(const eventstore::LedgerLog& log);

// The first event up to `end` that its stream does not name. Slow: to be called when it is known that there
// is something.
std::optional<Finding> find_unnamed_event(const eventstore::LedgerLog& log, Position end);

// A name that is held although no event states it. Slow likewise. The finding is at `end`.
std::optional<Finding> find_orphaned_claim(const eventstore::LedgerLog& log, Position end);

}  // namespace pixledger::tools
