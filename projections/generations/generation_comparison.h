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

// The differences of two generations at one position.
struct GenerationDifferences {
  struct InTable {
    std::uint64_t rows = 0;
    std::string first;  // the key of one differing row, without personal data
  };

  Position as_of;
  std::uint64_t rows = 0;                   // rows compared
  std::map<std::string, InTable> by_table;  // tables that differ
  std::vector<std::string> charges;         // some of their ids
  std::optional<std::string> lists;         // how the lists differ
  std::optional<std::string> fault;         // why the comparison ended early

  bool none() const { return by_table.empty() && !lists && !fault; }
  // The differences, as part of a sentence: "1 row of charges differs (cmk3…)".
  std::string text() const;
};

// Compares the generation in use, whose owner keeps running, with one that is being built beside it. Rows are
// read in short transactions. Rows that differ, such as new ones, are read again once the new generation is
// exactly at the position of a snapshot of the other. The lists of the generation in use are those that a
// start would load: its owner's snapshot, then the log's later events.
class GenerationComparison {
 public:
  // Throws DataDamaged if `current` has no readable generation.
  GenerationComparison(const std::filesystem::path& current, eventstore::LmdbOptions options,
                       const eventstore::Log& log);

  // Brings the new generation to a position of the log, and no further.
  using BuildTo = std::function<void(Position end)>;

  // Builds `next`, which must not be ahead of the generation in use, close to it and compares the two.
  // `scratch` is a directory of the caller's; `progress` counts rows. Damage of the generation in use is
  // reported as a fault of the result.
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
