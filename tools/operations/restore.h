#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/entropy.h"
#include "eventstore/backup/log_restore.h"
#include "eventstore/ledger.h"
#include "tools/audit/verifier.h"

namespace pixledger::tools {

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
