#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace pixledger::projections {

// A cancellation check for work over many rows, whose client may have disconnected. By default the work is
// never cancelled. Call it only on the thread that does the work.
class WorkCheck {
 public:
  static constexpr std::size_t kRowsBetween = 1024;

  WorkCheck() = default;
  // The function throws to cancel the work.
  explicit WorkCheck(std::function<void()> throw_if_over) : throw_if_over_(std::move(throw_if_over)) {}

  void look() const {
    if (throw_if_over_) throw_if_over_();
  }
  // Checks at row 0 and at each kRowsBetween-th row after it.
  void look_at_row(std::size_t row) const {
    if (row % kRowsBetween == 0) look();
  }

 private:
  std::function<void()> throw_if_over_;
};

}  // namespace pixledger::projections
