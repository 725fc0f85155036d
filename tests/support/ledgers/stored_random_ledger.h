#pragma once

#include <filesystem>

#include "eventstore/lmdb/lmdb_log.h"
#include "tests/support/temporary_directory.h"

namespace pixledger::tests {

// A ledger on disk that random commands made, with idempotency records, an accepted clock and everything else
// a ledger can hold. Never synced, as it ends with the test.
class StoredRandomLedger {
 public:
  enum class Erasures { kFinished, kLeftUnfinished };
  StoredRandomLedger(std::uint64_t seed, unsigned commands, Erasures erasures = Erasures::kFinished);

  const eventstore::LmdbLog& log() const { return *log_; }
  std::filesystem::path directory() const { return directory_.path(); }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<eventstore::LmdbLog> log_;
};

// Removes the bytes that the log's erasures cover.
void finish_erasures(eventstore::LedgerLog& log);

}  // namespace pixledger::tests
