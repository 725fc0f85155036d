#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/values/timestamp.h"

namespace pixledger {

// The time source, injected wherever time is needed. SystemClock is the only real clock in the project.
// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // The wall clock (UTC). An operator or NTP may set it, also backwards.
  virtual Timestamp now() const = 0;
  // Milliseconds since boot, including suspended time. Never decreases and is never set, so it measures
  // changes of the wall clock.
  virtual std::int64_t boot_millis() const = 0;
  // Identifies this boot of the machine.
  virtual std::string boot_id() const = 0;
};

// CLOCK_REALTIME and CLOCK_BOOTTIME, and the kernel's boot id.
class SystemClock final : public Clock {
 public:
  Timestamp now() const override;
  std::int64_t boot_millis() const override;
  std::string boot_id() const override;
};

// The source of random bytes, injected wherever they are needed. SystemEntropy is the only real source in the
// project. Thread-safe.
class Entropy {
 public:
  virtual ~Entropy() = default;
  // Fills all of `bytes`. Throws std::system_error on failure.
  virtual void fill(std::span<std::byte> bytes) = 0;
  std::string bytes(std::size_t count);
};

// The kernel's cryptographic generator (getrandom); blocks after boot until it is seeded.
class SystemEntropy final : public Entropy {
 public:
  void fill(std::span<std::byte> bytes) override;
};

}  // namespace pixledger
