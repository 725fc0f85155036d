#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>

#include "domain/aggregates/event.h"

namespace pixledger::tools {

// The damaged part, worst first: with a damaged ledger, findings in later parts do not count.
enum class Part {
  kLedger,
  kCheckpoint,  // the ledger is consistent, but does not continue the given checkpoint
  kShared,      // the node's copy is consistent, but PostgreSQL differs
  kErasure,     // the ledger is consistent, but contains data that a customer's erasure should have removed
  kReadModels,  // the ledger is consistent, but the read models differ or are unreadable
  kAccounts,    // the whole ledger is sound, but the accounts are unreadable
};

// A fault, and the position that shows it.
struct Finding {
  Position position;
  std::string problem;
  Part part = Part::kLedger;
};

// Keeps the worse part's finding; within one part, the earlier.
inline void keep_first(std::optional<Finding>& first, Finding finding) {
  if (!first || std::tie(finding.part, finding.position) < std::tie(first->part, first->position))
    first = std::move(finding);
}

// Called with the number of further events read.
using VerifyProgress = std::function<void(std::uint64_t events)>;

}  // namespace pixledger::tools
