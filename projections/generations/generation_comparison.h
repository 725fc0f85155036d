#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "projections/generations/generation.h"

namespace pixledger::projections {

// How two generations differ at one position.
struct GenerationDifferences {
  struct InTable {
    std::uint64_t rows = 0;
    std::string first;  // the key of one of them, without what is personal
  };

  Position as_of;
  std::uint64_t rows = 0;                   // that were compared
  std::map<std::string, InTable> by_table;  // without those that do not differ
  std::vector<std::string> charges;         // ids of some of them
  std::optional<std::string> lists;         // how the lists differ
  std::optional<std::string> fault;         // why the comparison ended early

  bool none() const { return by_table.empty() && !lists && !fault; }
  // What is not equal, as a part of a sentence: "1 row of charges differs (cmk3…)".
  std::string text() const;
};

// Compares the generation in use, which its owner goes on with, with one that is being built beside it. Rows
// are read in short transactions; what differs, as new rows do, is looked at again once the one being built
// has been brought to exactly the position of a snapshot of the other. The lists of the generation in use are
// those that a start would have: what its owner has saved, and what the log has after it.
class GenerationComparison {
 public:
  // Throws ViewsDamaged when there is no generation in `current`, or none that can be read.
  GenerationComparison(const std::filesystem::path& current, eventstore::LmdbOptions options,
                       const eventstore::Log& log);

  // Brings the generation beside to a position of the log, and no further.
  using BuildTo = std::function<void(Position end)>;

  // Has `next`, which is not beyond the generation in use, built near it, and compares the two. `scratch` is
  // a directory of the caller's; `progress` is told of rows. Damage of the generation in use is a fault of
  // the result.
  GenerationDifferences compare(ViewDatabase& next, const BuildTo& build_to,
                                const std::filesystem::path& scratch,
                                const BuildProgress& progress = {}) const;

 private:
  class Pass;

  eventstore::LmdbEnvironment environment_;
  ViewTables tables_;
  const eventstore::Log& log_;
};

}  // namespace pixledger::projections
