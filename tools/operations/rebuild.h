#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "projections/generations/generation_comparison.h"

namespace pixledger::tools {

struct Rebuilt {
  std::string generation;                // "3-2"
  Position position;                     // up to which it was built
  std::chrono::milliseconds building{};  // without comparing
  std::optional<std::string> replaces;   // the generation in use; none: there was none that could be opened
  std::optional<projections::GenerationDifferences> differences;  // from that one
  std::optional<bool> adopted;  // by the server; none: none runs on that one
  // Where the one in use before is kept, since it did not say what the ledger says; none: it did, or it is
  // still in use, or others are kept already (projections::kKeptGenerationsMax).
  std::optional<std::filesystem::path> kept{};

  bool is_well() const { return (!differences || differences->none()) && adopted.value_or(true); }
};

struct RebuildOptions {
  std::filesystem::path views;
  eventstore::LmdbOptions lmdb{};
  // Whether to compare with the generation in use; otherwise `not_compared` says why not.
  bool compare = true;
  std::string not_compared;
  std::chrono::milliseconds adoption_max{60'000};
};

// Replays the log into the directory of an unfinished generation, from where it stands, compares it with the
// one in use at one position, completes it, and waits for a server that runs to adopt it. One in use that did
// not say what the ledger says is kept. Side effects have no part in it: workers have cursors of their own.
// Shows its progress on a terminal.
Rebuilt rebuild_views(const eventstore::Log& log, projections::UnfinishedGeneration& unfinished,
                      const RebuildOptions& options);

}  // namespace pixledger::tools
