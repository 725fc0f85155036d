#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "eventstore/backup/manifest.h"
#include "eventstore/backup/target_backup.h"
#include "eventstore/log/log_import.h"

// Restores a ledger from backups. Start here: restore_log.
namespace pixledger::eventstore {

// A directory written by a backup; or a target, and an empty directory for the state that is read of it.
struct BackupPiece {
  std::filesystem::path directory;
  BackupManifest manifest;
  std::shared_ptr<const TargetBackup> target{};  // null: all is in the directory
};

// As read_segment(), for a segment of the piece's manifest. Throws TargetError, too.
void read_events(const BackupPiece& piece, const Segment& segment, Frontier& tree,
                 const std::function<void(const SegmentEvent&)>& visit);

// Returns the pieces in the order of their events. Throws BackupRefused unless they are of one ledger, the
// first begins with its first event, and each continues the previous one.
std::vector<BackupPiece> read_pieces(const std::vector<std::filesystem::path>& directories);

struct LogRestoreOptions {
  std::optional<Position> until{};  // the last event to restore; nullopt: all
  std::optional<Timestamp> at{};    // restores what was recorded up to then; nullopt: all
  // Called from time to time with the events read and their total. Each is read twice.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{};
};

struct RestoredLog {
  LogIdentity identity;  // of the new epoch
  Position last;
  Digest leaf_hash{};  // of the last event; zeros without events
  Digest root{};
  std::uint64_t left_out = 0;  // events after `until` or `at`
  std::uint64_t personal = 0;  // events with personal data
  std::uint64_t idempotency_records = 0;
  std::uint64_t idempotency_left_out = 0;
  std::uint64_t channels = 0;                    // that exist at the end, each with a sealed secret
  std::vector<domain::ChargeId> erased_charges;  // whose customers were erased
};

// Checks every byte of all pieces, then builds the log: each event is appended as the log appends its own,
// with its recorded time. Index, names and tree are derived from the events, not taken from the backup. The
// root is compared with the backup's. The log gets a new epoch. Durable on return. Throws BackupRefused, and
// LogCorrupt for events that this release cannot read; the log is unusable then. The manifest of a target
// gets the files of the state that fits the end.
RestoredLog restore_log(std::vector<BackupPiece>& pieces, LogImport& log, Entropy& entropy,
                        const LogRestoreOptions& options);

}  // namespace pixledger::eventstore
