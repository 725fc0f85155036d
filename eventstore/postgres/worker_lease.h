#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "eventstore/postgres/pg_client.h"
#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {

// The right of a process to be the only worker of its kind on a shared ledger. It expires, by PostgreSQL's
// clock, unless it is renewed, and then another process may take it. Its holder is told earlier, so that it
// stops in time. Thread-safe.
class WorkerLease {
 public:
  // Another process may take it this long after the last renewal; a holder that cannot renew it gives up
  // earlier.
  static constexpr std::chrono::seconds kTime{10};
  static constexpr std::chrono::seconds kGivenUpAfter{7};

  // Returns null while another process has it. `lost` is called once, on a thread of its own, if it could not
  // be renewed. Throws LogUnavailable.
  static std::unique_ptr<WorkerLease> try_take(const SharedNode& node, std::string worker,
                                               std::function<void()> lost);
  // Releases it at once.
  ~WorkerLease();
  WorkerLease(const WorkerLease&) = delete;
  WorkerLease& operator=(const WorkerLease&) = delete;

  // The advisory lock (PostgreSQL 15, section 13.3.5) that the holder's transactions share: no process takes
  // the lease over before they have ended. It is not a lock of the lease's row, which would block the
  // renewal.
  static std::string lock_of(const std::string& worker) { return "1886156909, hashtext('" + worker + "')"; }

  // Counts the holders: each has another number.
  std::int64_t epoch() const { return epoch_; }

 private:
  WorkerLease(const SharedNode& node, std::string worker, std::function<void()> lost);

  // To be called once. Returns false while another process has it.
  bool take();
  void renew_until_stopped();
  bool renew();
  void give_up_in_time();

  const SharedNode node_;
  const std::string worker_;
  std::int64_t epoch_ = 0;
  const std::function<void()> lost_;
  DeadlineWatch watch_;
  std::unique_ptr<PgClient> client_;  // used by the thread, once that runs
  std::mutex mutex_;
  std::chrono::steady_clock::time_point renewed_at_{};
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
  std::thread timer_;  // since a renewal may hang for longer than the lease lasts
};

}  // namespace pixledger::eventstore
