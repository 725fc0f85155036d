#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/pg_session.h"

namespace pixledger::eventstore {

// Keeps a node's copy near the head of its shared ledger, and tells who asks how far that was. Of a node's
// processes each has one; whoever holds the lock on the copy's file looks all the time, the others when they
// are asked. Thread-safe.
class CopyFollower {
 public:
  // A session that may be believed: its own row was written first.
  using Connect = std::function<std::unique_ptr<PgSession>()>;

  // What is told when nobody can go on: the copy is not that of the ledger any more. May be called on the
  // follower's thread, and need not return.
  using Astray = std::function<void(const std::string& problem)>;

  // `copy` outlives it.
  CopyFollower(LmdbLog& copy, Connect connect, Astray astray);
  ~CopyFollower();
  CopyFollower(const CopyFollower&) = delete;
  CopyFollower& operator=(const CopyFollower&) = delete;

  // As Log::catch_up. Those who ask at the same time share the next look, so that the number of looks does
  // not grow with theirs.
  Head catch_up();

 private:
  struct Look {
    Head head;
    std::string fault;  // empty: it went well
  };

  void run();
  Look look();
  // Takes in all that there is; the head then.
  Head pull();

  LmdbLog& copy_;
  const Connect connect_;
  const Astray astray_;
  std::unique_ptr<PgSession> session_;  // of the thread alone
  std::mutex mutex_;
  std::condition_variable asked_;
  std::condition_variable looked_;
  std::uint64_t wanted_ = 0;  // the last one that somebody waits for
  std::uint64_t begun_ = 0;   // looks, in their order
  std::uint64_t done_ = 0;
  Look last_{};
  bool stopping_ = false;
  std::thread thread_;
};

// Takes in what there is after the copy's last commit, until it has come to that one at least. Others may do
// the same at the same time. Throws LogUnavailable and CopyAstray.
void take_in_batches(PgSession& session, LmdbLog& copy);

}  // namespace pixledger::eventstore
