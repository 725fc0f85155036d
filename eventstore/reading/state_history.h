#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "domain/decisions/dispatch.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// States of streams as they were at positions, for readers that come back to the same streams again and
// again: a stream is folded once, and states on the way are kept, so that a later look reads what lies
// between one of those and the position wanted, however long the stream is. Thread-safe.
class StateHistory {
 public:
  using Shared = std::shared_ptr<const domain::AggregateState>;

  // Between two states that are kept of a stream lie so many events, more once there are kStatesOfStreamMax.
  static constexpr std::uint32_t kStride = 64;
  static constexpr std::size_t kStatesOfStreamMax = 64;

  // The log outlives it. Keeps so many states of usual size, or fewer that are larger, of the streams that
  // were looked at last: those on the way of one stream may be an eighth of all.
  explicit StateHistory(const Log& log, std::size_t states_max = 8'192)
      : log_(log), states_max_(states_max) {}

  const Log& log() const { return log_; }
  // What the states that it keeps weigh (domain/decisions/state_weight.h).
  std::size_t weight() const;

  // Null where the stream has no events up to there, or what they are about is no more. Throws LogCorrupt.
  Shared at(const StreamName& stream, Position position);

  template <class Aggregate>
  std::optional<Aggregate> as(const StreamName& stream, Position position) {
    const auto state = at(stream, position);
    const auto* aggregate = state ? std::get_if<Aggregate>(state.get()) : nullptr;
    return aggregate ? std::optional(*aggregate) : std::nullopt;
  }

 private:
  // A state, right after the event of that version and position.
  struct Kept {
    std::uint32_t version = 0;
    Position position;
    Shared state;
    std::size_t weight = 1;
  };
  struct Stream {
    std::vector<Kept> on_the_way;  // in their order
    std::size_t way_weight = 0;    // of those
    Kept last;                     // of the look that came furthest
    std::uint32_t stride = kStride;
    std::list<StreamName>::iterator use;
  };

  Kept nearest(const StreamName& stream, Position position);
  void keep(const StreamName& stream, std::vector<Kept> on_the_way, Kept last);
  void add(Stream& stream, Kept kept) const;
  void forget_what_is_too_much();

  const Log& log_;
  const std::size_t states_max_;
  mutable std::mutex mutex_;
  std::size_t weight_ = 0;  // of all that is kept
  std::unordered_map<StreamName, Stream> streams_;
  std::list<StreamName> by_use_;  // the most recently used first
};

}  // namespace pixledger::eventstore
