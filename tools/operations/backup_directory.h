#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/targets/target.h"
#include "eventstore/backup/log_backup.h"
#include "eventstore/backup/log_restore.h"
#include "eventstore/ledger.h"
#include "stores/status/worker_state.h"
#include "tools/audit/verifier.h"

namespace pixledger::tools {

struct BackupRequest {
  std::filesystem::path directory;
  std::optional<Position> first{};  // start of a partial backup; otherwise everything, or what is new
  bool with_keys = false;
  // The workers' state and the accounts are unavailable: keeps those of the existing backup.
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
  // The end of the directory's previous backup; nullopt if there was none.
  std::optional<Position> continued_from;
  std::vector<BackedUpWorker> workers;
  bool has_accounts = false;
  bool has_keys = false;
};

// Copies the log, the workers' state and the accounts into a directory while everything runs. Adds new data
// if the directory has a backup of the same ledger and epoch. If killed, the previous backup remains, or
// none. Throws BackupRefused if the directory contains other data, is within the data directory or is in use
// by another process. Also throws it for a backup with keys that this run does not renew.
Backup back_up(const DataDirectory& data, const eventstore::LedgerLog& log, const BackupRequest& request);

struct RestoreRequest {
  std::vector<std::filesystem::path> pieces;  // of backups; empty: `target` is given
  std::shared_ptr<const Target> target{};
  std::optional<std::uint32_t> epoch{};         // of the target; nullopt: the one that may write there
  std::vector<AgeIdentity> identities{};        // of an encrypted target
  std::optional<std::filesystem::path> keys{};  // otherwise the backup's, if any
  eventstore::LogRestoreOptions log{};
  eventstore::LmdbOptions lmdb{};  // for the ledger
  // The node of a shared ledger; the directory cannot be opened before it is shared.
  std::optional<eventstore::NodeFile> to_share{};
  // Progress of checking the restored data.
  std::function<void(std::uint64_t done, std::uint64_t total)> verify_progress{};
};

struct RestoredWorker {
  std::string name;
  Position handled_up_to;  // the part that the ledger still contains
};

struct Restore {
  eventstore::RestoredLog log;
  Verification verification;  // without a finding
  Timestamp made_at;          // of the newest piece
  std::vector<RestoredWorker> workers;
  bool has_keys = false;
  bool has_accounts = false;  // their sign-ins and invitations have been ended
};

// Creates a data directory from backups, all or nothing, and verifies it. Throws BackupRefused and LogCorrupt
// if a backup is damaged, does not fit or contains the data directory. Throws KeyringError for another
// ledger's keys, and TargetError.
Restore restore(const DataDirectory& data, const RestoreRequest& request, Entropy& entropy);

}  // namespace pixledger::tools
