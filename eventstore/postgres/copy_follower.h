#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/postgres/copy_guard.h"
#include "eventstore/postgres/pg_client.h"

namespace pixledger::eventstore {

// Keeps a node's copy near the head of its shared ledger, and reports that head to callers. Each process of a
// node has one. The process that holds the lock on the copy's file looks continuously, the others on request.
// Thread-safe.
class CopyFollower {
 public:
  struct Clients {
    // Starts a client that can be trusted: its own row was written first.
    std::function<std::unique_ptr<PgClient>()> connect;
    // Whether it can still be trusted.
    std::function<bool(const PgClient&)> is_current;
  };

  // `copy`, its guard and `own_commit` must outlive it. `own_commit`: the number of a commit that this
  // process is about to take into its copy itself; 0: none.
  CopyFollower(LmdbLog& copy, const CopyGuard& guard, const std::atomic<std::uint64_t>& own_commit,
               Clients clients);
  ~CopyFollower();
  CopyFollower(const CopyFollower&) = delete;
  CopyFollower& operator=(const CopyFollower&) = delete;

  // Calls `told` with the result of Log::catch_up, on the follower's thread or, while looks fail, at once.
  // Concurrent callers share the next look, so that the number of looks does not grow with theirs.
  void ask(TellHead told);
  // Why the last look failed; empty: it succeeded.
  std::string fault() const;

 private:
  void run();
  CaughtUp look();
  // Takes in all new commits. Returns the head.
  Head pull();

  LmdbLog& copy_;
  const CopyGuard& guard_;
  const std::atomic<std::uint64_t>& own_commit_;
  const Clients clients_;
  std::unique_ptr<PgClient> client_;  // used by the thread only
  mutable std::mutex mutex_;
  std::condition_variable asked_;
  std::vector<TellHead> asking_;  // callers of the next look; the current one may have begun before
  std::string fault_;             // of the last look; empty: it succeeded
  bool stopping_ = false;
  std::thread thread_;
};

// Takes in the commits after the copy's last one. Other threads and processes may do so at the same time;
// waits a moment for `own_commit`, which another thread takes in. Throws LogUnavailable, CopyAstray and
// SharedLedgerDamaged.
void take_in_batches(PgClient& client, LmdbLog& copy, const std::atomic<std::uint64_t>* own_commit = nullptr);

}  // namespace pixledger::eventstore
