#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace pixledger::projections {

// Asked now and then by what goes through many rows for somebody who may have gone meanwhile. By default the
// work is never given up. Its function is for the thread that does the work.
class WorkCheck {
 public:
  static constexpr std::size_t kRowsBetween = 1024;

  WorkCheck() = default;
  // The function throws when the work is to be given up.
  explicit WorkCheck(std::function<void()> throw_if_over) : throw_if_over_(std::move(throw_if_over)) {}

  void look() const {
    if (throw_if_over_) throw_if_over_();
  }
  // At the first of rows that are counted from 0, and at each kRowsBetween-th after it.
  void look_at_row(std::size_t row) const {
    if (row % kRowsBetween == 0) look();
  }

 private:
  std::function<void()> throw_if_over_;
};

}  // namespace pixledger::projections
