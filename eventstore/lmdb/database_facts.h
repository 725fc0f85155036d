#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// Its last program was killed, or the power was lost, and no program has opened it since.
class DatabaseNotClosed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One snapshot of a database, for a short look that changes nothing. If no other process has the database
// open, its lock file is not even opened; otherwise this takes a reader slot while it lives. Not thread-safe.
// At most one at a time for a directory in a process.
class UntouchedDatabase {
 public:
  // Throws LmdbError, DatabaseNotClosed, and LmdbFileDamaged if the file has been cut.
  UntouchedDatabase(const std::filesystem::path& directory, std::size_t map_bytes);
  ~UntouchedDatabase();
  UntouchedDatabase(const UntouchedDatabase&) = delete;
  UntouchedDatabase& operator=(const UntouchedDatabase&) = delete;

  MDB_env* environment() const { return environment_; }
  // Other processes have it open, and this one may use the locks.
  bool has_locks() const { return has_locks_; }

  MDB_txn* transaction();
  MDB_dbi database(const char* name);
  std::optional<std::string> find(const char* database_name, std::string_view key);

 private:
  int open(const std::filesystem::path& directory, std::size_t map_bytes, unsigned flags);

  MDB_env* environment_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  bool has_locks_ = false;
};

// The reader of the oldest snapshot; absent if that is the newest commit.
struct OldReader {
  int pid = 0;
  std::uint64_t transaction = 0;
  std::uint64_t behind = 0;  // commits since

  bool is_same_as(const OldReader& other) const {
    return pid == other.pid && transaction == other.transaction;
  }
};

// What can be learned of a database without changing anything, not even the slots of dead readers.
struct DatabaseFacts {
  std::uint64_t page_bytes = 0;
  std::uint64_t map_bytes = 0;  // as passed by the caller, or what the file needs
  std::uint64_t used_bytes = 0;
  std::optional<OldReader> old_reader;
  std::optional<std::vector<int>> dead_readers;  // process ids; nullopt: no process has it open
};
struct LedgerFacts {
  DatabaseFacts database;
  std::uint64_t format = 0;
  LogIdentity identity;
  Head head;
  std::optional<Digest> keyring;         // digest of the keys that it is bound to (Keyring::code_of_ledger)
  std::optional<ClockReading> accepted;  // how the clock ran when an operator last accepted it
};

// Both throw LmdbError if the database cannot be opened, std::runtime_error if something is missing in it.
DatabaseFacts inspect_database(const std::filesystem::path& directory, std::size_t map_bytes);
LedgerFacts inspect_ledger(const std::filesystem::path& directory, std::size_t map_bytes);
// Returns the leaf hash stored at a position, or nullopt.
std::optional<Digest> leaf_hash_in(const std::filesystem::path& ledger, std::size_t map_bytes,
                                   Position position);
// Returns the events of all streams whose names begin with a text, ordered by name and version, without
// personal data. For kinds with few streams.
std::vector<StoredEvent> stream_events_in(const std::filesystem::path& ledger, std::size_t map_bytes,
                                          const std::string& name_begin);

}  // namespace pixledger::eventstore
