#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "eventstore/backup/manifest.h"
#include "eventstore/log/log_import.h"

// A ledger made anew from backups. Start here: restore_log.
namespace pixledger::eventstore {

// A directory that a backup has written.
struct BackupPiece {
  std::filesystem::path directory;
  BackupManifest manifest;
};

// In the order of their events. Throws BackupRefused unless they are of one ledger, the first begins with its
// first event, and each goes on where the one before ends.
std::vector<BackupPiece> read_pieces(const std::vector<std::filesystem::path>& directories);

struct LogRestoreOptions {
  std::optional<Position> until{};  // the last event that is restored; unless given all are
  // Told from time to time: events read, of how many. Each is read twice.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

struct RestoredLog {
  LogIdentity identity;  // of the new epoch
  Position last;
  Digest leaf_hash{};  // of the last event; zeros when there is none
  Digest root{};
  std::uint64_t left_out = 0;  // events after `until`
  std::uint64_t personal = 0;  // events with personal data
  std::uint64_t idempotency_records = 0;
  std::uint64_t idempotency_left_out = 0;
  std::uint64_t channels = 0;                    // that there are at the end, each with a sealed secret
  std::vector<domain::ChargeId> erased_charges;  // whose customers were erased
};

// Checks every byte of all pieces, then makes the log of them: each event is appended as the log appends its
// own, with its recorded time, and index, names and tree are made of it, not taken from the backup. The root
// is compared with the backup's. The log gets an epoch of its own. Durable on return. Throws BackupRefused,
// and LogCorrupt for events that this release cannot read; the log is then good for nothing.
RestoredLog restore_log(const std::vector<BackupPiece>& pieces, LogImport& log, Entropy& entropy,
                        const LogRestoreOptions& options);

}  // namespace pixledger::eventstore
