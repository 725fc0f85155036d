#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace pixledger {

// Lets something through at most once in a while, such as a line about what may happen a thousand times a
// second. Thread-safe.
class AtMostEvery {
 public:
  using Clock = std::chrono::steady_clock;

  explicit AtMostEvery(std::chrono::milliseconds pause) : pause_(pause) {}

  // True the first time, and then for the first call after each pause.
  bool due(Clock::time_point now = Clock::now()) {
    const std::int64_t now_ns = now.time_since_epoch().count();
    std::int64_t next_ns = next_ns_.load(std::memory_order_relaxed);
    return now_ns >= next_ns &&
           next_ns_.compare_exchange_strong(next_ns, (now + pause_).time_since_epoch().count());
  }

 private:
  const std::chrono::milliseconds pause_;
  std::atomic<std::int64_t> next_ns_{INT64_MIN};
};

}  // namespace pixledger
