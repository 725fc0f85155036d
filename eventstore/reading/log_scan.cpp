#include "eventstore/reading/log_scan.h"

#include "eventstore/codec/codec.h"

namespace pixledger::eventstore {
namespace {

constexpr std::size_t kBatchEvents = 1000;

}  // namespace

Timestamp recorded_at(const Log& log, Position position) {
  const auto found = log.read_after(Position(position.value() - 1), 1);
  if (found.empty() || found.front().position != position)
    throw LogCorrupt("there is no event at position " + std::to_string(position.value()));
  return header_of(position, found.front().bytes).recorded_at;
}

void for_each_event(const Log& log, Position after, Position last,
                    const std::function<void(const domain::RecordedEvent&)>& visit) {
  while (after < last) {
    const auto batch = log.read_after(after, kBatchEvents);
    if (batch.empty()) return;
    for (const auto& stored : batch) {
      if (stored.position > last) return;
      visit(decode(stored));
    }
    after = batch.back().position;
  }
}

Position position_at(const Log& log, Timestamp moment) {
  const auto head = log.head();
  if (head.time <= moment) return head.position;
  // Times never decrease along the log.
  std::uint64_t low = 0;
  std::uint64_t high = head.position.value();
  while (low < high) {
    const auto middle = low + (high - low + 1) / 2;
    if (recorded_at(log, Position(middle)) <= moment) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return Position(low);
}

}  // namespace pixledger::eventstore
