#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>

namespace pixledger::http {

// A request is given up. The transport answers.
struct WorkGivenUp : std::runtime_error {
  explicit WorkGivenUp(bool gone)
      : std::runtime_error(gone ? "the caller has gone" : "the request took too long"),
        caller_has_gone(gone) {}
  bool caller_has_gone;  // or else its time is over
};

// For how long a request may be worked on: until its time is over, or until its caller has gone, since nobody
// would read the answer. What loops for long asks it.
class WorkBudget {
 public:
  using Clock = std::chrono::steady_clock;

  // Without an end, for what came over no connection.
  WorkBudget() = default;
  // The flag outlives it, and may be set by any thread.
  WorkBudget(Clock::time_point deadline, const std::atomic<bool>& caller_has_gone)
      : deadline_(deadline), caller_has_gone_(&caller_has_gone) {}

  bool is_over() const { return has_gone() || (deadline_ && Clock::now() >= *deadline_); }
  // Throws WorkGivenUp when it is over.
  void check() const {
    if (is_over()) throw WorkGivenUp(has_gone());
  }

 private:
  bool has_gone() const { return caller_has_gone_ && caller_has_gone_->load(std::memory_order_relaxed); }

  std::optional<Clock::time_point> deadline_;
  const std::atomic<bool>* caller_has_gone_ = nullptr;
};

}  // namespace pixledger::http
