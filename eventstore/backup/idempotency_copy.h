#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "eventstore/backup/manifest.h"
#include "eventstore/log/ledger_log.h"

namespace pixledger::eventstore {

// Writes the idempotency records that count at `last` and `now`, the head that the backup ends with, to the
// manifest's kIdempotencyFile. Records of that time that are written meanwhile are left out. Returns how
// many.
std::uint64_t copy_idempotency(const LedgerLog& log, Position last, Timestamp now,
                               const std::filesystem::path& directory, BackupManifest& manifest);

// Each in the order of its time; valid during the call. The file must be the one that was written
// (check_state_files). Throws BackupRefused when it does not have this form.
void read_idempotency(const std::filesystem::path& file,
                      const std::function<void(const IdempotencyEntry&)>& visit);

}  // namespace pixledger::eventstore
