#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "http/message/work_budget.h"
#include "projections/generations/projector.h"

namespace pixledger::http {

// The requests that wait for the read models to go on, a bounded number of them: each holds a thread. A key
// and a project have a share of them, and a project's test keys half of that. Thread-safe; outlives its
// waiters.
class LongPolls {
 public:
  static constexpr std::size_t kWaitersMax = 64;
  static constexpr std::size_t kWaitersOfKeyMax = 8;
  static constexpr std::size_t kWaitersOfProjectMax = 16;
  static constexpr std::size_t kWaitersOfTestKeysMax = 8;  // of a project
  using Clock = std::chrono::steady_clock;

  // The projector outlives it.
  explicit LongPolls(projections::Projector& projector) : projector_(projector) {}
  LongPolls(const LongPolls&) = delete;
  LongPolls& operator=(const LongPolls&) = delete;

  // The place of one waiting request, used by its thread.
  class Waiter {
   public:
    Waiter(LongPolls& polls, const domain::ProjectId& project, const domain::ApiKeyId& key,
           domain::Environment of_key);
    ~Waiter();
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    // Until the views have reached the position. False when the time or the budget is over before, or the
    // server stops.
    // Returns not sooner than a few milliseconds after it did last: whoever waits on a busy ledger for what
    // seldom comes looks that often and no more.
    bool wait_applied(domain::Position position, Clock::time_point deadline, const WorkBudget& budget);

   private:
    friend class LongPolls;
    struct Bell;

    LongPolls& polls_;
    const domain::ProjectId project_;
    const domain::ApiKeyId key_;
    const domain::Environment of_key_;
    std::shared_ptr<Bell> bell_;
    Clock::time_point returned_at_{};
  };

  // Null when there are as many as there may be, of all or of this project, its test keys or
  // this key, or the server stops.
  std::unique_ptr<Waiter> enter(const domain::ProjectId& project, const domain::ApiKeyId& key,
                                domain::Environment of_key);
  std::size_t waiting() const;
  // Nobody waits any more from here on.
  void stop();

 private:
  projections::Projector& projector_;
  mutable std::mutex mutex_;
  bool stopping_ = false;
  std::unordered_set<Waiter*> waiters_;
};

}  // namespace pixledger::http
