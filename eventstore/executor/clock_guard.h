#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/platform/clock_and_entropy.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// A clock may be off by this much before writes stop.
constexpr std::int64_t kClockJumpMaxMs = 60'000;

// How the clock goes now.
ClockReading read_clock(const Clock& clock);

// Decides whether the wall clock can be trusted with the time of a batch: it must not jump against the time
// since boot within the process's life, nor be behind the log. An operator can accept it as it goes; another
// jump after that is not accepted with it. One thread.
class ClockGuard {
 public:
  ClockGuard(const Clock& clock, const Log& log);

  // The time to give to the next batch: never before the head's. `there`: as LogWrite::time_there() tells it;
  // then it is what counts, as long as this machine's clock does not differ much. Throws LogUnavailable that
  // says what to do.
  Timestamp time_after(const Head& head, std::optional<Timestamp> there = std::nullopt);

 private:
  Timestamp shared_time_after(const Head& head, Timestamp there);
  void adopt_acceptance();

  const Clock& clock_;
  const Log& log_;
  ClockReading trusted_;
  std::uint64_t acceptances_;  // those that need not be looked at again
  Timestamp accepted_head_time_;
};

}  // namespace pixledger::eventstore
