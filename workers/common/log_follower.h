#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/log_cursor.h"

namespace pixledger::workers {

// What a worker does with events. It keeps the cursor in its own database, in the same transaction as what
// the events made it write there, so that no event is handled twice or lost.
class EventHandler {
 public:
  virtual ~EventHandler() = default;
  // Events in the log's order without a gap; never empty. On return the database holds their rows and
  // `after`.
  virtual void handle(const std::vector<domain::RecordedEvent>& events,
                      const eventstore::LogCursor& after) = 0;
};

// How long a thread waits before it looks whether something is due that nobody woke it for: another program
// has made it so, or the clock was set.
inline constexpr std::chrono::milliseconds kLookAroundEvery{1'000};

// What all workers share: read from the cursor on, handle, acknowledge, wait. Used by one thread.
class LogFollower {
 public:
  static constexpr std::size_t kBatchEventsMax = 512;
  static constexpr std::chrono::milliseconds kGatherFor{10};

  // Throws CursorMismatch when the cursor is not one of this log. The log outlives it.
  LogFollower(const eventstore::Log& log, eventstore::LogCursor from);

  const eventstore::LogCursor& cursor() const { return cursor_; }

  // Hands over the next events; false when there are none. What the handler throws leaves the cursor where it
  // is. Waits at most kGatherFor when the step before has only just begun and saw all there was: a step costs
  // a handler much the same for one event as for a hundred.
  bool step(EventHandler& handler);

  // Returns when there is an event to handle, when `other` is true (see Log::wait_past_or), or after the
  // time-out.
  void wait(std::chrono::milliseconds timeout, const WakeSignal::Condition& other) const {
    log_.wait_past_or(cursor_.position, timeout, other);
  }

 private:
  const eventstore::Log& log_;
  eventstore::LogCursor cursor_;
  std::chrono::steady_clock::time_point next_step_{};
};

}  // namespace pixledger::workers
