#include "workers/common/log_follower.h"

#include <thread>
#include <utility>

#include "eventstore/codec/codec.h"

namespace pixledger::workers {

LogFollower::LogFollower(const eventstore::Log& log, eventstore::LogCursor from)
    : log_(log), cursor_(std::move(from)) {
  eventstore::check_cursor(cursor_, log_);
}

bool LogFollower::step(EventHandler& handler) {
  std::this_thread::sleep_until(next_step_);
  const auto started = std::chrono::steady_clock::now();
  const auto stored = log_.read_after(cursor_.position, kBatchEventsMax);
  if (stored.empty()) return false;
  if (stored.size() < kBatchEventsMax) next_step_ = started + kGatherFor;
  std::vector<domain::RecordedEvent> events;
  events.reserve(stored.size());
  for (const auto& bytes : stored) events.push_back(eventstore::decode(bytes));
  auto after = eventstore::cursor_at(log_, events.back().position);
  handler.handle(events, after);
  cursor_ = std::move(after);
  return true;
}

}  // namespace pixledger::workers
