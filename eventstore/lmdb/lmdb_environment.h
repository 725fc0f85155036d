#pragma once

#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <lmdb.h>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/big_endian.h"
#include "eventstore/lmdb/lmdb_options.h"

// LMDB without its sharp edges: owned environments and transactions, exceptions instead of codes.
namespace pixledger::eventstore {

class LmdbError : public std::runtime_error {
 public:
  LmdbError(const std::string& what, int code);
  int code() const { return code_; }

 private:
  int code_;
};

// Only a file that is not what LMDB wrote explains the code.
class LmdbDamaged : public LmdbError {
 public:
  using LmdbError::LmdbError;
};

// LmdbDamaged for the codes that say so, LmdbError for all others.
[[noreturn]] void throw_lmdb(const std::string& what, int code);
void check_lmdb(int code, const char* what);

inline MDB_val to_val(std::string_view bytes) { return {bytes.size(), const_cast<char*>(bytes.data())}; }
inline std::string_view from_val(const MDB_val& val) {
  return {static_cast<const char*>(val.mv_data), val.mv_size};
}

// The value of a key; it ends with the transaction.
std::optional<std::string_view> lmdb_get(MDB_txn* transaction, MDB_dbi database, std::string_view key);
void lmdb_put(MDB_txn* transaction, MDB_dbi database, std::string_view key, std::string_view value,
              unsigned flags = 0);

class LmdbEnvironment;

// A snapshot to read from; goes back to its environment's pool. Short-lived: it keeps every later page alive.
class LmdbRead {
 public:
  explicit LmdbRead(const LmdbEnvironment& environment);
  ~LmdbRead();
  LmdbRead(const LmdbRead&) = delete;
  LmdbRead& operator=(const LmdbRead&) = delete;

  MDB_txn* get() const { return transaction_; }

 private:
  const LmdbEnvironment& environment_;
  MDB_txn* transaction_;
};

// The exclusive write; aborts unless committed. Not movable between threads.
class LmdbWrite {
 public:
  explicit LmdbWrite(const LmdbEnvironment& environment);
  ~LmdbWrite();
  LmdbWrite(const LmdbWrite&) = delete;
  LmdbWrite& operator=(const LmdbWrite&) = delete;

  MDB_txn* get() const { return transaction_; }
  void commit();

 private:
  const LmdbEnvironment& environment_;
  MDB_txn* transaction_;
};

class LmdbCursor {
 public:
  LmdbCursor(MDB_txn* transaction, MDB_dbi database);
  ~LmdbCursor();
  LmdbCursor(const LmdbCursor&) = delete;
  LmdbCursor& operator=(const LmdbCursor&) = delete;

  // False when there is no such entry.
  bool move(MDB_cursor_op operation);
  bool seek(std::string_view at_or_after);  // the first key that is not smaller
  // The entry of that key, or nothing. Cheap when it lies near the last one.
  std::optional<std::string_view> find(std::string_view key);
  std::string_view key() const { return from_val(key_); }
  std::string_view value() const { return from_val(value_); }
  MDB_cursor* get() const { return cursor_; }

 private:
  MDB_cursor* cursor_;
  MDB_val key_{};
  MDB_val value_{};
};

// One per directory and process (LMDB's rule). Thread-safe. When another process has made the map larger, the
// next transaction adopts its size. A thread that meets that while it has a read open fails with
// MDB_MAP_RESIZED after a while.
//
// Without LMDB's locks no writer knows of the reader, and would write over the pages that it reads. That is
// safe only as long as nobody writes these files: a copy, a snapshot, or a mount of what stands still.
class LmdbEnvironment {
 public:
  // Throws LmdbError, LmdbFileDamaged (lmdb_file_check.h) when the file has been cut, and std::runtime_error
  // where it would have to read without locks and some process of this machine has the files open.
  LmdbEnvironment(const std::filesystem::path& directory, const LmdbOptions& options);
  ~LmdbEnvironment();
  LmdbEnvironment(const LmdbEnvironment&) = delete;
  LmdbEnvironment& operator=(const LmdbEnvironment&) = delete;

  MDB_env* get() const { return environment_; }
  const std::filesystem::path& directory() const { return directory_; }
  // Creates it when it is not there, unless the environment is read-only. Waits for no writer when it is.
  MDB_dbi open_database(const char* name);
  // Nullopt when it is not there. Writes nothing.
  std::optional<MDB_dbi> find_database(const char* name) const;
  // Frees the reader slots of processes that died.
  void clear_stale_readers() const;
  void sync() const;
  // Whether a sync of the data file succeeds now. Also says no when an earlier sync has failed that was not
  // asked for here: the kernel tells each open file of a failure once, and this one is open for nothing else.
  bool syncs_well() const;

 private:
  friend class LmdbRead;
  friend class LmdbWrite;
  MDB_txn* take_reader() const;
  void give_back(MDB_txn* reader) const;
  MDB_txn* begin_writer() const;
  void transaction_ended() const;

  // Between these two, called with the mutex locked, a transaction of this process may use the map.
  void enter(std::unique_lock<std::mutex>& lock) const;
  void leave() const;
  int try_reader(MDB_txn*& reader) const;
  int try_writer(MDB_txn*& writer) const;
  // Another process may have made the map larger than this one knows it.
  void adopt_larger_map() const;

  std::filesystem::path directory_;
  bool read_only_;
  MDB_env* environment_ = nullptr;
  int data_file_ = -1;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;  // nobody uses the map any more, or it has been exchanged
  mutable std::size_t users_ = 0;            // transactions of this process
  mutable bool exchanging_ = false;          // nobody enters
  mutable std::vector<MDB_txn*> idle_readers_;
};

}  // namespace pixledger::eventstore
