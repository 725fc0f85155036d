#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// One snapshot of a database, for a short look that changes nothing: where nobody else has it open, its
// lock file is not even opened; otherwise the look takes a reader's place like any other for as long as it
// lives. Not for several threads, nor twice at once for one directory in a process.
class UntouchedDatabase {
 public:
  // Throws LmdbError, and LmdbFileDamaged when the file has been cut.
  UntouchedDatabase(const std::filesystem::path& directory, std::size_t map_bytes);
  ~UntouchedDatabase();
  UntouchedDatabase(const UntouchedDatabase&) = delete;
  UntouchedDatabase& operator=(const UntouchedDatabase&) = delete;

  MDB_env* environment() const { return environment_; }
  // Others have it open, and this may use the locks.
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

// The reader of the oldest snapshot, unless that is the newest commit.
struct OldReader {
  int pid = 0;
  std::uint64_t transaction = 0;
  std::uint64_t behind = 0;  // commits since

  bool is_same_as(const OldReader& other) const {
    return pid == other.pid && transaction == other.transaction;
  }
};

// What there is to know of a database without changing anything, not even the slots of readers that died.
struct DatabaseFacts {
  std::uint64_t page_bytes = 0;
  std::uint64_t map_bytes = 0;  // as given to the call, or what the file needs
  std::uint64_t used_bytes = 0;
  std::optional<OldReader> old_reader;
  std::optional<std::vector<int>> dead_readers;  // process ids; none: nobody has it open
};
struct LedgerFacts {
  DatabaseFacts database;
  std::uint64_t format = 0;
  LogIdentity identity;
  Head head;
  std::optional<Digest> keyring;         // code of the keys that it is bound to (Keyring::code_of_ledger)
  std::optional<ClockReading> accepted;  // how the clock went when an operator last accepted it
};

// Throw LmdbError when it cannot be opened, std::runtime_error when something is missing in it.
DatabaseFacts inspect_database(const std::filesystem::path& directory, std::size_t map_bytes);
LedgerFacts inspect_ledger(const std::filesystem::path& directory, std::size_t map_bytes);
// The leaf hash stored at a position; nothing when there is none.
std::optional<Digest> leaf_hash_in(const std::filesystem::path& ledger, std::size_t map_bytes,
                                   Position position);
// The events of all streams whose names begin with a text, in the order of names and versions, without what
// is personal. For the few streams of a kind that there are few of.
std::vector<StoredEvent> stream_events_in(const std::filesystem::path& ledger, std::size_t map_bytes,
                                          const std::string& name_begin);

}  // namespace pixledger::eventstore
