#pragma once

#include <lmdb.h>
#include <mutex>

namespace pixledger::eventstore {

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

  // Renews a reader, or begins one if it is null. Returns LMDB's code. After an error the reader is ended and
  // null.
  int take(MDB_txn*& reader);

 private:
  // The number of the newest commit that is durable, or an error.
  int read_published(std::size_t& number);

  MDB_env* const environment_;
  std::mutex mutex_;
  MDB_txn* witness_ = nullptr;  // begun when it is needed first
};

}  // namespace pixledger::eventstore
