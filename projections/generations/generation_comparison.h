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
  domain::Position as_of;
  std::uint64_t rows = 0;                              // that were compared
  std::map<std::string, std::uint64_t> rows_by_table;  // that differ; without those that do not
  std::vector<std::string> charges;                    // ids of some of them
  std::optional<std::string> lists;                    // how the lists differ
  std::optional<std::string> fault;                    // why the comparison ended early

  bool none() const { return rows_by_table.empty() && !lists && !fault; }
};

// Compares the generation in use, which its owner goes on with, with one that is being built beside it. Rows
// are read in short transactions; what differs, as new rows do, is looked at again once the one being built
// has been brought to exactly the position of a snapshot of the other. The lists of the generation in use are
// those that a start would have: what its owner has saved, and what the log has after it.
class GenerationComparison {
 public:
  // Throws LmdbError when there is no generation in `current`.
  GenerationComparison(const std::filesystem::path& current, eventstore::LmdbOptions options,
                       const eventstore::Log& log);

  // Where the generation in use is. Whoever builds the other one stays at or before this.
  domain::Position position() const;

  // `next` is not beyond position(). `scratch` is a directory of the caller's; `progress` is told of rows.
  GenerationDifferences compare(ViewStore& next, const std::filesystem::path& scratch,
                                const BuildProgress& progress = {}) const;

 private:
  class Pass;

  eventstore::LmdbEnvironment environment_;
  ViewTables tables_;
  const eventstore::Log& log_;
};

}  // namespace pixledger::projections
