#include "stores/deliveries/log_search.h"

#include "eventstore/codec/codec.h"

namespace pixledger::stores {

Position last_position_before(const eventstore::Log& log, Timestamp moment) {
  std::uint64_t before = 0;
  std::uint64_t not_before = log.head().position.value() + 1;
  while (not_before - before > 1) {
    const auto middle = before + (not_before - before) / 2;
    const auto stored = log.read_after(Position(middle - 1), 1);
    if (stored.empty()) throw eventstore::LogCorrupt("no event at position " + std::to_string(middle));
    if (eventstore::decode(stored.front()).recorded_at < moment)
      before = middle;
    else
      not_before = middle;
  }
  return Position(before);
}

}  // namespace pixledger::stores
