#pragma once

#include <string>

#include "eventstore/log/log.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {

// The Merkle tree's records as a log keeps them. Not for several threads at once. The log outlives it.
class TreeOfLog final : public TreeRecords {
 public:
  explicit TreeOfLog(const Log& log) : log_(log) {}

  std::string_view record(std::uint64_t position) const override {
    auto found = log_.tree_record(Position(position));
    if (!found) throw LogCorrupt("the Merkle tree has no record of position " + std::to_string(position));
    last_ = *std::move(found);
    return last_;
  }

 private:
  const Log& log_;
  mutable std::string last_;
};

}  // namespace pixledger::eventstore
