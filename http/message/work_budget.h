#pragma once

#include <chrono>
#include <functional>
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
// would read the answer. What loops for long, or waits, asks it. For one thread.
class WorkBudget {
 public:
  using Clock = std::chrono::steady_clock;
  // How often the connection is looked at, however often the budget is asked.
  static constexpr std::chrono::milliseconds kLookEvery{50};

  // Without an end, for what came over no connection.
  WorkBudget() = default;
  // The function outlives it, and is for the same thread.
  WorkBudget(Clock::time_point deadline, std::function<bool()> caller_has_gone)
      : deadline_(deadline), caller_has_gone_(std::move(caller_has_gone)) {}

  bool is_over() const;
  // Throws WorkGivenUp when it is over.
  void check() const {
    if (is_over()) throw WorkGivenUp(has_gone_);
  }
  // Of what waits: the moment to look again, at the latest at `until` and soon enough to see that it is over.
  Clock::time_point next_look(Clock::time_point until) const;

  // The same with so much more time: what a request was asked to wait is no work.
  WorkBudget extended_by(std::chrono::milliseconds more) const;

 private:
  std::optional<Clock::time_point> deadline_;
  std::function<bool()> caller_has_gone_;
  mutable Clock::time_point looked_at_{};
  mutable bool has_gone_ = false;
};

}  // namespace pixledger::http
