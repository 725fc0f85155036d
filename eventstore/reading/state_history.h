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

// States of streams as of positions, for callers that read the same streams repeatedly. A stream is folded
// once and some states are kept. A later call reads only the events from the nearest kept state on, however
// long the stream is. Thread-safe.
class StateHistory {
 public:
  using Shared = std::shared_ptr<const domain::AggregateState>;

  // Events between two kept states of a stream; more once it has kStatesOfStreamMax.
  static constexpr std::uint32_t kStride = 64;
  static constexpr std::size_t kStatesOfStreamMax = 64;

  // The log must outlive it. Keeps this many states of usual size, or fewer larger ones, of the streams used
  // last. Those of one stream may be an eighth of all.
  explicit StateHistory(const Log& log, std::size_t states_max = 8'192)
      : log_(log), states_max_(states_max) {}

  const Log& log() const { return log_; }
  // The weight of the kept states (domain/decisions/state_weight.h).
  std::size_t weight() const;

  // Returns null if the stream has no events up to there, or its subject no longer exists. Throws LogCorrupt.
  Shared at(const StreamName& stream, Position position);

  template <class Aggregate>
  std::optional<Aggregate> as(const StreamName& stream, Position position) {
    const auto state = at(stream, position);
    const auto* aggregate = state ? std::get_if<Aggregate>(state.get()) : nullptr;
    return aggregate ? std::optional(*aggregate) : std::nullopt;
  }

 private:
  // The state after the event of that version and position.
  struct Kept {
    std::uint32_t version = 0;
    Position position;
    Shared state;
    std::size_t weight = 1;
  };
  struct Stream {
    std::vector<Kept> on_the_way;  // in their order
    std::size_t way_weight = 0;    // of those
    Kept last;                     // at the highest position asked for
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
