#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/values/timestamp.h"

namespace pixledger {

// The time. Everything that needs it is handed one of these; SystemClock is the only real clock in the
// project. Safe to use from several threads at once.
class Clock {
 public:
  virtual ~Clock() = default;
  // The wall clock (UTC). An operator or NTP may set it, backwards too.
  virtual Timestamp now() const = 0;
  // Milliseconds since the machine booted, suspended time included. Never goes backwards and is never set, so
  // it tells by how much the wall clock was.
  virtual std::int64_t boot_millis() const = 0;
  // Tells this run of the machine from others.
  virtual std::string boot_id() const = 0;
};

// CLOCK_REALTIME and CLOCK_BOOTTIME, and the kernel's boot id.
class SystemClock final : public Clock {
 public:
  Timestamp now() const override;
  std::int64_t boot_millis() const override;
  std::string boot_id() const override;
};

// Where random bytes come from. Everything that needs them is handed one of these; SystemEntropy is the only
// real source in the project. Safe to use from several threads at once.
class Entropy {
 public:
  virtual ~Entropy() = default;
  // Fills all of `bytes`. Throws std::system_error when the source cannot.
  virtual void fill(std::span<std::byte> bytes) = 0;
  std::string bytes(std::size_t count);
};

// The kernel's cryptographic generator (getrandom); waits for it to be seeded when the machine has just
// booted.
class SystemEntropy final : public Entropy {
 public:
  void fill(std::span<std::byte> bytes) override;
};

}  // namespace pixledger
