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

// Keeps a node's copy near the head of its shared ledger, and tells who asks how far that was. Of a node's
// processes each has one; whoever holds the lock on the copy's file looks all the time, the others when they
// are asked. Thread-safe.
class CopyFollower {
 public:
  struct Clients {
    // One that may be believed: its own row was written first.
    std::function<std::unique_ptr<PgClient>()> connect;
    // Whether it still may be.
    std::function<bool(const PgClient&)> is_current;
  };

  // `copy` and its guard outlive it, and so does `own_commit`: the number of a commit that this process is
  // about to bring to its copy itself, 0 while there is none.
  CopyFollower(LmdbLog& copy, const CopyGuard& guard, const std::atomic<std::uint64_t>& own_commit,
               Clients clients);
  ~CopyFollower();
  CopyFollower(const CopyFollower&) = delete;
  CopyFollower& operator=(const CopyFollower&) = delete;

  // `told` what Log::catch_up comes to: on the follower's thread, or, while looks fail, at once. Those who
  // ask at the same time share the next look, so that the number of looks does not grow with theirs.
  void ask(TellHead told);
  // Why the last look failed; empty: it went well.
  std::string fault() const;

 private:
  void run();
  CaughtUp look();
  // Takes in all that there is; the head then.
  Head pull();

  LmdbLog& copy_;
  const CopyGuard& guard_;
  const std::atomic<std::uint64_t>& own_commit_;
  const Clients clients_;
  std::unique_ptr<PgClient> client_;  // of the thread alone
  mutable std::mutex mutex_;
  std::condition_variable asked_;
  std::vector<TellHead> asking_;  // whom the next look is for; the one under way may be of before they asked
  std::string fault_;             // of the last look; empty: it went well
  bool stopping_ = false;
  std::thread thread_;
};

// Takes in what there is after the copy's last commit. Others may do the same at the same time; a commit that
// they say is theirs is left to them for a moment. Throws LogUnavailable, CopyAstray and
// SharedLedgerDamaged.
void take_in_batches(PgClient& client, LmdbLog& copy, const std::atomic<std::uint64_t>* own_commit = nullptr);

}  // namespace pixledger::eventstore
