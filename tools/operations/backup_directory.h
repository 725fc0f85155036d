#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/backup/log_backup.h"
#include "eventstore/ledger.h"
#include "stores/status/worker_databases.h"

namespace pixledger::tools {

// In a manifest's state_directory().
inline constexpr const char* kAccountsInBackup = "accounts.sqlite";

struct BackupRequest {
  std::filesystem::path directory;
  std::optional<Position> first{};  // of a piece that begins there; else all, or what is new
  bool with_keys = false;
  // The workers' state and the accounts are out of reach: those that the directory's backup has stay in it.
  bool keeps_state = false;
  eventstore::LogBackupOptions copying{};
  Timestamp now;
};

struct BackedUpWorker {
  std::string name;
  std::optional<Position> handled_up_to;  // nullopt: it had not started
};

struct Backup {
  eventstore::BackupManifest manifest;
  eventstore::LogBackupResult copied;
  // Where the directory's backup ended before; nullopt when there was none.
  std::optional<Position> continued_from;
  std::vector<BackedUpWorker> workers;
  bool has_accounts = false;
  bool has_keys = false;
};

// Copies the log, the workers' state and the accounts into a directory, or adds to a backup of the same
// ledger and epoch what is new since, while everybody goes on. A run that is killed leaves the backup that
// was there before, or none. Throws BackupRefused when the directory holds something else, lies in the data
// directory, has keys that this run was not asked to renew, or another process works there.
Backup back_up(const DataDirectory& data, const eventstore::LedgerLog& log, const BackupRequest& request);

}  // namespace pixledger::tools
