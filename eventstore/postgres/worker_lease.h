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

// The right of a process to be the one worker of its kind at work on a ledger that machines share. It ends
// when it is not renewed, by PostgreSQL's clock, and then another may have it: whoever holds one is told
// before that, so that it stops in time. Thread-safe.
class WorkerLease {
 public:
  // So long after the last renewal another may take it; who cannot renew it gives up a little earlier.
  static constexpr std::chrono::seconds kTime{10};
  static constexpr std::chrono::seconds kGivenUpAfter{7};

  // Null while another has it. `lost` is called once, on a thread of its own, when it could not be renewed.
  // Throws LogUnavailable.
  static std::unique_ptr<WorkerLease> try_take(const SharedNode& node, std::string worker,
                                               std::function<void()> lost);
  // Lets another take it at once.
  ~WorkerLease();
  WorkerLease(const WorkerLease&) = delete;
  WorkerLease& operator=(const WorkerLease&) = delete;

  // Which advisory lock (PostgreSQL 15, section 13.3.5) a transaction of who has it shares: nobody takes it
  // over before that has ended. No lock of its row, for which the renewal would wait.
  static std::string lock_of(const std::string& worker) { return "1886156909, hashtext('" + worker + "')"; }

  // Counts who had it: another number, another holder.
  std::int64_t epoch() const { return epoch_; }

 private:
  WorkerLease(const SharedNode& node, std::string worker, std::function<void()> lost);

  // Once. False while another has it.
  bool take();
  void renew_until_stopped();
  bool renew();
  void give_up_in_time();

  const SharedNode node_;
  const std::string worker_;
  std::int64_t epoch_ = 0;
  const std::function<void()> lost_;
  DeadlineWatch watch_;
  std::unique_ptr<PgClient> client_;  // of the thread, once that is there
  std::mutex mutex_;
  std::chrono::steady_clock::time_point renewed_at_{};
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
  std::thread timer_;  // since a renewal may hang for longer than the lease lasts
};

}  // namespace pixledger::eventstore
