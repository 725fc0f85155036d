#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "eventstore/lmdb/lmdb_environment.h"

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

}  // namespace pixledger::eventstore
