#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/platform/clock_and_entropy.h"

namespace pixledger::tests {

// A clock that stands still until a test moves it. Safe to move while other threads read it.
class FixedClock final : public Clock {
 public:
  explicit FixedClock(Timestamp now, std::int64_t boot_millis = 1'000'000)
      : now_millis_(now.millis()), boot_millis_(boot_millis) {}

  Timestamp now() const override { return Timestamp(now_millis_.load()); }
  std::int64_t boot_millis() const override { return boot_millis_.load(); }
  std::string boot_id() const override { return "6f9619ff-8b86-4011-b42d-00c04fc964ff"; }

  // Time passes: both clocks move.
  void advance_millis(std::int64_t millis) {
    now_millis_ += millis;
    boot_millis_ += millis;
  }

  // Sets the wall clock; the boot clock stays.
  void set_wall_clock(Timestamp now) { now_millis_ = now.millis(); }

 private:
  std::atomic<std::int64_t> now_millis_;
  std::atomic<std::int64_t> boot_millis_;
};

}  // namespace pixledger::tests
