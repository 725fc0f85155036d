#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/log_cursor.h"

namespace pixledger::workers {

// Handles a worker's events. Stores the cursor in its own database, in the same transaction as the events'
// rows, so that no event is handled twice or lost.
class EventHandler {
 public:
  virtual ~EventHandler() = default;
  // Events in log order without a gap; never empty. On return the database contains their rows and `after`.
  virtual void handle(const std::vector<domain::RecordedEvent>& events,
                      const eventstore::LogCursor& after) = 0;
};

// Polling interval of a thread for work without a wake-up: another program made it due, or the clock was set.
inline constexpr std::chrono::milliseconds kLookAroundEvery{1'000};

// The loop of all workers: read from the cursor on, handle, acknowledge, wait. Used by one thread.
class LogFollower {
 public:
  static constexpr std::size_t kBatchEventsMax = 512;
  static constexpr std::chrono::milliseconds kGatherFor{10};

  // Throws CursorMismatch if the cursor is not of this log. The log must outlive it.
  LogFollower(const eventstore::Log& log, eventstore::LogCursor from);

  const eventstore::LogCursor& cursor() const { return cursor_; }

  // Passes on the next events; false if there are none. If the handler throws, the cursor stays. Waits at
  // most kGatherFor if the previous step has just begun and read everything: a step costs a handler about the
  // same for one event as for a hundred.
  bool step(EventHandler& handler);

  // Returns when an event is available, `other` is true (see Log::wait_past_or), or the timeout has passed.
  void wait(std::chrono::milliseconds timeout, const WakeSignal::Condition& other) const {
    log_.wait_past_or(cursor_.position, timeout, other);
  }

 private:
  const eventstore::Log& log_;
  eventstore::LogCursor cursor_;
  std::chrono::steady_clock::time_point next_step_{};
};

}  // namespace pixledger::workers
