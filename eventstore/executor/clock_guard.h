#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/platform/clock_and_entropy.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// A clock may be off by this much before writes stop.
constexpr std::int64_t kClockJumpMaxMs = 60'000;

// How the clock runs now.
ClockReading read_clock(const Clock& clock);

// Decides whether the wall clock can be trusted with the time of a batch. It must not jump against the time
// since boot while the process runs, nor be behind the log. An operator can accept it as it runs; that does
// not cover a later jump. For one thread.
class ClockGuard {
 public:
  ClockGuard(const Clock& clock, const Log& log);

  // Returns the time of the next batch, never before the head's. `there`: from LogWrite::time_there(); if
  // set, it counts, as long as this machine's clock differs little. Throws LogUnavailable with advice.
  Timestamp time_after(const Head& head, std::optional<Timestamp> there = std::nullopt);

 private:
  Timestamp shared_time_after(const Head& head, Timestamp there);
  void adopt_acceptance();

  const Clock& clock_;
  const Log& log_;
  ClockReading trusted_;
  std::uint64_t acceptances_;  // those that were read already
  Timestamp accepted_head_time_;
};

}  // namespace pixledger::eventstore
