#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "projections/generations/generation.h"

namespace pixledger::projections {

// The generation in use, which may be exchanged for a newer one at any moment. Thread-safe.
class CurrentViews {
 public:
  explicit CurrentViews(std::shared_ptr<Generation> generation) : generation_(std::move(generation)) {}

  // For one look at a time: as long as somebody holds it, a generation that was exchanged is not deleted. A
  // later call gives the same database or one that has come at least as far.
  std::shared_ptr<const ViewDatabase> database() const {
    auto generation = in_use();
    return {generation, &generation->database()};
  }
  std::shared_ptr<Generation> in_use() const {
    const std::lock_guard lock(mutex_);
    return generation_;
  }
  // Both stand at the same position. Returns the one that was in use.
  std::shared_ptr<Generation> exchange(std::shared_ptr<Generation> next) {
    const std::lock_guard lock(mutex_);
    generation_.swap(next);
    return next;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Generation> generation_;
};

}  // namespace pixledger::projections
