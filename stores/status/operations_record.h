#pragma once

#include <optional>

#include "base/platform/data_directory.h"
#include "base/values/timestamp.h"

// Results of a data directory's last backup and last verification: DATA/operations.json. Commands write it;
// the server's metrics and the doctor read it.
namespace pixledger::stores {

struct OperationsRecord {
  struct Backup {
    Timestamp ended_at;
    bool succeeded = false;
    std::optional<Timestamp> last_success_at;  // end of the last successful one, which may be this one
  };
  struct Verification {
    Timestamp ended_at;
    bool sound = false;
  };
  std::optional<Backup> backup;              // absent: never run
  std::optional<Verification> verification;  // absent: never run
  bool is_damaged = false;                   // the file is invalid; the next command replaces it
};

// Returns an empty record if the file is missing or invalid. Throws std::system_error if it cannot be read.
OperationsRecord read_operations(const DataDirectory& data);

// Durable on return. Does nothing if this process may not write the directory: read-only copies are verified
// too. Throws std::system_error on other write errors.
void record_backup(const DataDirectory& data, Timestamp ended_at, bool succeeded);
void record_verification(const DataDirectory& data, Timestamp ended_at, bool sound);

}  // namespace pixledger::stores
