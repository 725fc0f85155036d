#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "eventstore/backup/manifest.h"
#include "eventstore/log/ledger_log.h"

// Copies a ledger while others write it. Events never change, so they are copied position by position in
// short reads: a long one would keep alive every page that is written meanwhile.
namespace pixledger::eventstore {

struct LogBackupOptions {
  std::optional<double> bytes_per_second{};  // for writing, and then for reading again; nullopt: no limit
  // Called from time to time with the events done and their total. Each counts twice: written, and read
  // again.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

struct LogBackupResult {
  std::uint64_t events = 0;  // copied by this run
  std::uint64_t bytes = 0;   // of these events, in the backup's files
  std::uint64_t idempotency_records = 0;
};

inline constexpr const char* kEventsInBackup = "events";

// Throws BackupRefused unless the manifest's events are the beginning of this log, in the same epoch.
void check_continues(const BackupManifest& manifest, const Log& log);

// Returns the manifest of an empty backup that begins at a position, at most the log's head + 1.
BackupManifest manifest_of_nothing(const Log& log, Position first);

// Copies what the log has after the manifest's last event, up to its head as of the call, and the idempotency
// records valid then. Goes further to include an erasure that removes personal data meanwhile. Updates the
// manifest. The directory must hold kEventsInBackup and the manifest's state_directory(). Everything is read
// again and compared with the log's tree. Durable on return. Throws BackupRefused if the files differ from
// what was written, LogCorrupt if the ledger is damaged.
LogBackupResult back_up_log(const LedgerLog& log, const std::filesystem::path& directory,
                            BackupManifest& manifest, const LogBackupOptions& options);

}  // namespace pixledger::eventstore
