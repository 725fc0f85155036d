#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log.h"
#include "stores/databases/worker_databases.h"

// The status of read models and workers, read while their owners run. Changes nothing. Throws system errors.
namespace pixledger::stores {

struct GenerationStatus {
  std::string name;  // "<set version>-<n>"
  std::uint32_t set_version;
  bool complete;
  // nullopt if the cursor cannot be read
  std::optional<Position> position;
  // True if its cursor belongs to this log: ledger, epoch and leaf hash agree.
  bool of_this_log = false;
};

// Ordered by set version and number. Empty if the directory does not exist.
std::vector<GenerationStatus> generation_statuses(const std::filesystem::path& views,
                                                  const eventstore::Log& log,
                                                  const eventstore::LmdbOptions& options);

struct WorkerStatus {
  std::string name;                  // "webhooks"
  std::optional<Position> position;  // nullopt if its state is missing or unreadable
  bool of_this_log = false;
  std::string problem{};  // why its state cannot be read, or empty
};

// Workers that have ever run on this data directory, or on any machine.
std::vector<WorkerStatus> worker_statuses(const WorkerDatabases& databases, const eventstore::Log& log,
                                          const eventstore::LmdbOptions& options);

}  // namespace pixledger::stores
