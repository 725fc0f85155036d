#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "eventstore/backup/log_backup.h"
#include "eventstore/backup/log_restore.h"
#include "eventstore/ledger.h"
#include "stores/status/worker_state.h"
#include "tools/audit/verifier.h"

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

struct RestoreRequest {
  std::vector<std::filesystem::path> pieces;
  std::optional<std::filesystem::path> keys{};  // else those in the backup, if any
  eventstore::LogRestoreOptions log{};
  eventstore::LmdbOptions lmdb{};  // of the ledger
  // The node that it is to be shared as, before which nobody opens it.
  std::optional<eventstore::NodeFile> to_share{};
  // Told how far checking what was restored has come.
  std::function<void(std::uint64_t done, std::uint64_t total)> verify_progress{};
};

struct RestoredWorker {
  std::string name;
  Position handled_up_to;  // what of that is still in the ledger
};

struct Restore {
  eventstore::RestoredLog log;
  Verification verification;  // without a finding
  Timestamp made_at;          // of the newest piece
  std::vector<RestoredWorker> workers;
  bool has_keys = false;
  bool has_accounts = false;  // whose sign-ins have ended, and whose invitations are void
};

// Makes a data directory of backups, all or nothing, and verifies it. Throws BackupRefused and LogCorrupt
// when the backup is not as it was written, does not fit or has the data directory in it, KeyringError for
// keys of another ledger.
Restore restore(const DataDirectory& data, const RestoreRequest& request, Entropy& entropy);

}  // namespace pixledger::tools
