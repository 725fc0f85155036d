#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/platform/durable_files.h"
#include "eventstore/lmdb/checkpoint_file.h"
#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::eventstore {

// The opening of a ledger: all programs that open one wait for each other here, so that the first one sees
// that it is the first and recovers the ledger alone.
struct LmdbOpening {
  // Goes back to the checkpoint, if there is one and no process has the ledger open. Throws LogCorrupt, and
  // std::runtime_error if that would have to be done read-only.
  LmdbOpening(const std::filesystem::path& directory, const LmdbOptions& options);

  std::unique_ptr<DirectoryLock> turn;
  // Held on the checkpoints' file by all processes that have the ledger open: what they have seen of LMDB's
  // state is whole. It outlives the environment.
  std::unique_ptr<Descriptor> mark;
  bool is_first = false;                     // no other process has the ledger open
  std::optional<LmdbCheckpoint> checkpoint;  // if it has any
  LmdbOptions options;                       // for the environment
};

}  // namespace pixledger::eventstore
