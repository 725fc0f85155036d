#pragma once

#include <lmdb.h>
#include <mutex>

namespace pixledger::eventstore {

// Takes snapshots each of which is exactly the commit that its number names, and durable: no snapshot is
// older than one that was taken before.
//
// LMDB 0.9.24 alone does not give that. mdb_txn_renew reads the published number N and then copies meta page
// N & 1. A reader that is preempted between the two copies what commit N + 2 is writing there by then, which
// is neither synced nor published: the next snapshot may be an older one, and after a power loss nobody has
// it. While N is still the published number after the copy, commit N + 2 has not begun, since a writer
// publishes its number before the next one begins. So the number is read again, by a transaction of which
// nothing else is looked at, and the snapshot is taken anew where it has changed. That waits for no sync: the
// number changes once a commit.
//
// One for an environment, which outlives it. Thread-safe.
class SettledReaders {
 public:
  explicit SettledReaders(MDB_env* environment) : environment_(environment) {}
  ~SettledReaders();
  SettledReaders(const SettledReaders&) = delete;
  SettledReaders& operator=(const SettledReaders&) = delete;

  // Renews a reader, or begins one where it is null. Returns LMDB's code; unless that is MDB_SUCCESS the
  // reader is ended and null.
  int take(MDB_txn*& reader);

 private:
  // The number of the newest commit that is durable, or an error.
  int read_published(std::size_t& number);

  MDB_env* const environment_;
  std::mutex mutex_;
  MDB_txn* witness_ = nullptr;  // begun when it is needed first
};

}  // namespace pixledger::eventstore
