#pragma once

#include <array>
#include <chrono>
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
#include "base/platform/descriptor.h"

namespace pixledger::eventstore {

// How an LMDB environment is opened; every program has an option for the size of the maps.
struct LmdbOptions {
  std::size_t map_bytes = std::size_t{1} << 40;  // address space, not disk
  unsigned databases_max = 32;
  unsigned readers_max = 1024;
  bool sync = true;  // false only for databases that can be rebuilt
  // Changes nothing. Where this process may not write the files, as on a read-only mount or in another user's
  // copy, it reads without LMDB's locks; see LmdbEnvironment.
  bool read_only = false;
  // A ledger gets a journal and checkpoints when it is opened (journal.h, checkpoints.h), unless a process
  // has it open without. One that has them is always opened with them.
  bool journal = false;
  // The environment has checkpoints: only the process that keeps them clears stale readers.
  bool has_checkpoints = false;
  // Threads that wait for the log check it this often even without a wake-up: the writer may have been
  // killed.
  std::chrono::milliseconds look_every{1000};
};

// The same options, for databases that can be rebuilt.
inline LmdbOptions without_sync(LmdbOptions options) {
  options.sync = false;
  return options;
}

// The map does not fit into the process's address space.
class LmdbMapRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws the error for an environment that could not be opened: LmdbMapRefused, LmdbDamaged or LmdbError.
[[noreturn]] void throw_cannot_open(const std::filesystem::path& directory, std::size_t map_bytes, int code);

// Takes snapshots. Each one shows exactly the commit that its number names, and that commit is durable. No
// snapshot is older than an earlier one.
//
// LMDB 0.9.24 alone does not guarantee this. mdb_txn_renew reads the published number N and then copies meta
// page N & 1. If the reader is preempted in between, it may copy what commit N + 2 is writing there, which is
// neither synced nor published yet. The next snapshot may then be older, and a power loss may undo what the
// reader has seen. If N is still published after the copy, commit N + 2 had not begun, since a writer
// publishes its number before the next one begins. So a second transaction, the witness, reads the number
// again, and the snapshot is retried if it has changed. This never waits for a sync: the number changes once
// for each commit.
//
// One for an environment, which outlives it. Thread-safe.
class SettledReaders {
 public:
  explicit SettledReaders(MDB_env* environment) : environment_(environment) {}
  ~SettledReaders();
  SettledReaders(const SettledReaders&) = delete;
  SettledReaders& operator=(const SettledReaders&) = delete;

  // Renews a reader, or begins one if it is null. Returns LMDB's code. After an error the reader has ended
  // and is null.
  int take(MDB_txn*& reader);

 private:
  // Several, since each snapshot needs one for a moment: threads seldom wait for each other.
  struct alignas(64) Witness {
    std::mutex mutex;
    MDB_txn* transaction = nullptr;  // begun at first use
  };

  // The number of the newest durable commit. Returns LMDB's code.
  int read_published(std::size_t& number);

  MDB_env* const environment_;
  std::array<Witness, 8> witnesses_;
};

// LMDB without its sharp edges: owned environments and transactions, exceptions instead of codes.

class LmdbError : public std::runtime_error {
 public:
  LmdbError(const std::string& what, int code);
  int code() const { return code_; }

 private:
  int code_;
};

// The code is only possible if the file is not as LMDB wrote it.
class LmdbDamaged : public LmdbError {
 public:
  using LmdbError::LmdbError;
};

// Throws LmdbDamaged for codes that mean damage, LmdbError for all others.
[[noreturn]] void throw_lmdb(const std::string& what, int code);
void check_lmdb(int code, const char* what);

inline MDB_val to_val(std::string_view bytes) { return {bytes.size(), const_cast<char*>(bytes.data())}; }
inline std::string_view from_val(const MDB_val& val) {
  return {static_cast<const char*>(val.mv_data), val.mv_size};
}

// Returns the value of a key, valid until the transaction ends.
std::optional<std::string_view> lmdb_get(MDB_txn* transaction, MDB_dbi database, std::string_view key);
void lmdb_put(MDB_txn* transaction, MDB_dbi database, std::string_view key, std::string_view value,
              unsigned flags = 0);

class LmdbEnvironment;

// The longest duration of a read transaction that can be split: it keeps all later pages alive.
inline constexpr std::chrono::milliseconds kReadMax{50};

// A snapshot to read from; returns to its environment's pool. Short-lived: it keeps every later page alive.
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

  // Returns false if there is no such entry.
  bool move(MDB_cursor_op operation);
  bool seek(std::string_view at_or_after);  // the first key that is not smaller
  // Returns the value of that key, or nullopt. Fast near the last entry.
  std::optional<std::string_view> find(std::string_view key);
  std::string_view key() const { return from_val(key_); }
  std::string_view value() const { return from_val(value_); }
  MDB_cursor* get() const { return cursor_; }

 private:
  MDB_cursor* cursor_;
  MDB_val key_{};
  MDB_val value_{};
};

// One for each directory and process (LMDB's rule). Thread-safe. If another process has enlarged the map, the
// next transaction adopts the new size. A thread fails with MDB_MAP_RESIZED, after a while, if it still has a
// read open then.
//
// Without LMDB's locks, writers do not know of the reader and overwrite the pages that it reads. That is safe
// only while no process writes these files: in a copy, a snapshot, or a mount of an idle ledger.
class LmdbEnvironment {
 public:
  // Throws LmdbError, LmdbFileDamaged (lmdb_file_check.h) if the file has been cut, and std::runtime_error if
  // it would have to read without locks while a process of this machine has the files open.
  LmdbEnvironment(const std::filesystem::path& directory, const LmdbOptions& options);
  ~LmdbEnvironment();
  LmdbEnvironment(const LmdbEnvironment&) = delete;
  LmdbEnvironment& operator=(const LmdbEnvironment&) = delete;

  MDB_env* get() const { return environment_.get(); }
  const std::filesystem::path& directory() const { return directory_; }
  // Creates the database if it is missing; fails then if the environment is read-only. Does not wait for
  // writers if the database exists.
  MDB_dbi open_database(const char* name);
  // Returns nullopt if it is missing. Writes nothing.
  std::optional<MDB_dbi> find_database(const char* name) const;
  // Frees the reader slots of processes that died. Does nothing if there are checkpoints, one of which such a
  // slot may hold; their keeper has the other function.
  void clear_stale_readers() const;
  void clear_stale_readers_as_keeper() const;
  // From now on commits sync nothing.
  void end_syncs() const;
  // Syncs the data file. Returns 0, or the error.
  int sync_data() const;
  void sync() const;
  // Whether a sync of the data file succeeds now. Also false after an earlier failed sync by LMDB: the kernel
  // reports a failure once to each open file, and this descriptor has no other use.
  bool syncs_well() const;

 private:
  friend class LmdbRead;
  friend class LmdbWrite;
  struct Close {
    void operator()(MDB_env* environment) const;
  };

  MDB_txn* take_reader() const;
  void give_back(MDB_txn* reader) const;
  MDB_txn* begin_writer() const;
  void transaction_ended() const;

  // Between these two calls, made with the mutex locked, a transaction of this process may use the map.
  void enter(std::unique_lock<std::mutex>& lock) const;
  void leave() const;
  int try_reader(MDB_txn*& reader) const;
  int try_writer(MDB_txn*& writer) const;
  // Adopts the map size of another process that has enlarged the map.
  void adopt_larger_map() const;

  std::filesystem::path directory_;
  bool read_only_;
  bool has_checkpoints_;
  std::unique_ptr<MDB_env, Close> environment_;
  std::optional<Descriptor> data_file_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;  // the last transaction has ended, or the map was replaced
  mutable std::size_t users_ = 0;            // transactions of this process
  mutable bool exchanging_ = false;          // new transactions wait
  mutable std::vector<MDB_txn*> idle_readers_;
};

}  // namespace pixledger::eventstore
