#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "domain/values/stream_name.h"
#include "http/message/work_budget.h"

namespace pixledger::http {

struct TurnLimits {
  std::size_t in_work_max = 64;
  std::size_t waiting_max = 128;
  std::chrono::milliseconds wait_max{5'000};
};

// How many requests of one project that are not short are worked on at once, so that no project has all of
// the server's threads. More wait, in the order in which they came; of those there is an end too, and each
// waits for so long at most. Thread-safe; outlives its turns.
class Turns {
 public:
  explicit Turns(const TurnLimits& limits = {}) : limits_(limits) {}
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // One request's; the next one's when it goes.
  class Turn {
   public:
    Turn(Turns& turns, std::string project) : turns_(&turns), project_(std::move(project)) {}
    Turn(Turn&& other) noexcept : turns_(other.turns_), project_(std::move(other.project_)) {
      other.turns_ = nullptr;
    }
    Turn& operator=(Turn&&) = delete;
    ~Turn() {
      if (turns_) turns_->leave(project_);
    }

   private:
    Turns* turns_;
    std::string project_;
  };

  // nullopt when it did not come in time, or too many wait already. Throws WorkGivenUp when the budget is
  // over before.
  std::optional<Turn> enter(const domain::ProjectId& project, const WorkBudget& budget);

  std::size_t waiting() const;
  std::uint64_t refused() const;

 private:
  struct Waiter {
    std::condition_variable called;
    bool is_called = false;
  };
  struct Line {
    std::size_t in_work = 0;
    std::deque<Waiter*> waiting;
  };
  bool wait(std::unique_lock<std::mutex>& lock, const std::string& project, const WorkBudget& budget);
  void leave(const std::string& project);

  const TurnLimits limits_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Line> lines_;  // of projects with requests in work
  std::size_t waiting_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace pixledger::http
