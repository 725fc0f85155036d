#pragma once

#include <optional>

#include "base/platform/data_directory.h"
#include "base/values/timestamp.h"

// What the last backup and the last verification of a data directory came to: DATA/operations.json, which the
// commands write, and the server's metrics and the doctor tell of.
namespace pixledger::stores {

struct OperationsRecord {
  struct Backup {
    Timestamp ended_at;
    bool succeeded = false;
    std::optional<Timestamp> last_success_at;  // the end of this one, or of an earlier one
  };
  struct Verification {
    Timestamp ended_at;
    bool sound = false;
  };
  std::optional<Backup> backup;              // absent: there has been none
  std::optional<Verification> verification;  // likewise
  bool is_damaged = false;                   // the file cannot be understood; the next of them replaces it
};

// An empty record where there is none, or one that cannot be understood. Throws std::system_error when it
// cannot be read.
OperationsRecord read_operations(const DataDirectory& data);

// Durable on return. Nothing where this process may not write the directory: a copy that can only be read is
// verified as well. Throws std::system_error when it cannot be written for another reason.
void record_backup(const DataDirectory& data, Timestamp ended_at, bool succeeded);
void record_verification(const DataDirectory& data, Timestamp ended_at, bool sound);

}  // namespace pixledger::stores
