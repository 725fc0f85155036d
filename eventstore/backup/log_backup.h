#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "eventstore/backup/manifest.h"
#include "eventstore/log/ledger_log.h"

// Copying a ledger while others go on writing it. Events are never changed, so they are copied position by
// position in short reads: a long one would keep every page alive that is written meanwhile.
namespace pixledger::eventstore {

struct LogBackupOptions {
  std::optional<double> bytes_per_second{};  // written, and then read again; no limit unless given
  // Told from time to time: events done, of how many. Each counts twice: written, and read again.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

struct LogBackupResult {
  std::uint64_t events = 0;  // copied by this run
  std::uint64_t bytes = 0;   // of them, as they lie in the backup
  std::uint64_t idempotency_records = 0;
};

inline constexpr const char* kEventsInBackup = "events";

// Throws BackupRefused unless what the manifest has is the beginning of this log, in the same epoch.
void check_continues(const BackupManifest& manifest, const Log& log);

// The manifest of a backup that begins at a position, up to log's head + 1, and holds nothing yet.
BackupManifest manifest_of_nothing(const Log& log, Position first);

// Copies what the log has after the manifest's last event, up to its head as of the call, or further up to an
// erasure that takes personal data away meanwhile, and the idempotency records that count then, and brings
// the manifest up to that. The directory must hold kEventsInBackup and the manifest's state_directory().
// Everything is read again and compared with the log's tree. Durable on return. Throws BackupRefused when
// what was written does not come back, LogCorrupt when the ledger is damaged.
LogBackupResult back_up_log(const LedgerLog& log, const std::filesystem::path& directory,
                            BackupManifest& manifest, const LogBackupOptions& options);

}  // namespace pixledger::eventstore
