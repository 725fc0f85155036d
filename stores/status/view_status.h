#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log.h"
#include "stores/databases/worker_databases.h"

// What a look from outside tells of read models and workers, while their owners go on. Nothing is changed.
// Throws what the system refuses.
namespace pixledger::stores {

struct GenerationStatus {
  std::string name;  // "<set version>-<n>"
  std::uint32_t set_version;
  bool complete;
  // nullopt when the cursor cannot be read.
  std::optional<Position> position;
  // Whether its cursor is one of this log: ledger, epoch and leaf hash agree.
  bool of_this_log = false;
};

// Ordered by set version and number. Empty when there is no directory.
std::vector<GenerationStatus> generation_statuses(const std::filesystem::path& views,
                                                  const eventstore::Log& log,
                                                  const eventstore::LmdbOptions& options);

struct WorkerStatus {
  std::string name;                  // "webhooks"
  std::optional<Position> position;  // nullopt when it has no state, or none that can be read
  bool of_this_log = false;
  std::string problem{};  // why its state cannot be read; empty where it can
};

// Those that have ever run on this data directory, or on any machine.
std::vector<WorkerStatus> worker_statuses(const WorkerDatabases& databases, const eventstore::Log& log,
                                          const eventstore::LmdbOptions& options);

}  // namespace pixledger::stores
