#include "eventstore/executor/clock_guard.h"

#include <algorithm>
#include <cstdlib>

namespace pixledger::eventstore {
namespace {

constexpr const char* kAdvice = "; set the clock right, or run: pixledger clock accept";

}  // namespace

ClockReading read_clock(const Clock& clock) {
  return {clock.boot_id(), clock.now().millis() - clock.boot_millis()};
}

ClockGuard::ClockGuard(const Clock& clock, const Log& log)
    : clock_(clock), log_(log), trusted_(read_clock(clock)), acceptances_(0) {
  try {
    const auto acceptance = log.clock_acceptance();
    acceptances_ = acceptance.count;
    accepted_head_time_ = acceptance.head_time;
  } catch (const LogUnavailable&) {
    // A shared log that does not answer yet is asked again when it matters.
  }
}

Timestamp ClockGuard::time_after(const Head& head, std::optional<Timestamp> there) {
  if (there) return shared_time_after(head, *there);
  const auto jumped_ms = [&](Timestamp now) {
    return now.millis() - clock_.boot_millis() - trusted_.offset_ms;
  };
  const auto behind = [&](Timestamp now) {
    return head.time.millis() - now.millis() > kClockJumpMaxMs && head.time > accepted_head_time_;
  };
  const auto now = clock_.now();
  if (std::abs(jumped_ms(now)) > kClockJumpMaxMs || behind(now)) adopt_acceptance();
  if (std::abs(jumped_ms(now)) > kClockJumpMaxMs)
    throw LogUnavailable("the clock jumped by " + std::to_string(jumped_ms(now) / 1000) + " seconds" +
                         kAdvice);
  if (behind(now))
    throw LogUnavailable("the clock is " + std::to_string((head.time.millis() - now.millis()) / 1000) +
                         " seconds behind the ledger" + kAdvice);
  return std::max(now, head.time);
}

Timestamp ClockGuard::shared_time_after(const Head& head, Timestamp there) {
  const auto ahead_ms = clock_.now().millis() - there.millis();
  if (std::abs(ahead_ms) > kClockJumpMaxMs)
    throw LogUnavailable("this machine's clock is " + std::to_string(std::abs(ahead_ms) / 1000) +
                         " seconds " + (ahead_ms > 0 ? "ahead of" : "behind") +
                         " the database's; set the one right that is wrong");
  const auto behind = [&] {
    return head.time.millis() - there.millis() > kClockJumpMaxMs && head.time > accepted_head_time_;
  };
  if (behind()) accepted_head_time_ = log_.clock_acceptance().head_time;
  if (behind())
    throw LogUnavailable("the database's clock is " +
                         std::to_string((head.time.millis() - there.millis()) / 1000) +
                         " seconds behind the ledger" + kAdvice);
  return std::max(there, head.time);
}

void ClockGuard::adopt_acceptance() {
  const auto acceptance = log_.clock_acceptance();
  if (acceptance.count == acceptances_) return;
  accepted_head_time_ = acceptance.head_time;
  // The acceptance may be of an earlier jump, or from before a restart of the machine.
  const auto now = read_clock(clock_);
  if (!acceptance.clock || acceptance.clock->boot_id != now.boot_id ||
      std::abs(acceptance.clock->offset_ms - now.offset_ms) > kClockJumpMaxMs)
    return;
  acceptances_ = acceptance.count;
  trusted_ = *acceptance.clock;
}

}  // namespace pixledger::eventstore
