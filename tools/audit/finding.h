#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>

#include "domain/aggregates/event.h"

namespace pixledger::tools {

// What is wrong. The worst comes first: what is found of the others does not count when the ledger is
// damaged.
enum class Part {
  kLedger,
  kCheckpoint,  // the ledger is consistent, and does not continue the checkpoint that it is compared with
  kShared,      // the node's copy is consistent, and PostgreSQL has something else
  kErasure,     // the ledger is consistent, and has what a customer's erasure should have taken away
  kReadModels,  // the ledger is consistent, and they say something else, or cannot be read
  kAccounts,    // all of the ledger is well, and who may sign in cannot be read
};

// Something that is wrong, at the position that shows it.
struct Finding {
  Position position;
  std::string problem;
  Part part = Part::kLedger;
};

// The worse of two, and of the same part the earlier.
inline void keep_first(std::optional<Finding>& first, Finding finding) {
  if (!first || std::tie(finding.part, finding.position) < std::tie(first->part, first->position))
    first = std::move(finding);
}

// Told how many events more have been read.
using VerifyProgress = std::function<void(std::uint64_t events)>;

}  // namespace pixledger::tools
