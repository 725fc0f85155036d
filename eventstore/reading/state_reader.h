#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "domain/decisions/dispatch.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// Folds one stream of a log, up to a position.
std::optional<domain::AggregateState> fold_stream(const Log& log, const StreamName& stream,
                                                  Position up_to = kNoLimit);

template <class Aggregate>
std::optional<Aggregate> fold_as(const Log& log, const StreamName& stream, Position up_to = kNoLimit) {
  auto state = fold_stream(log, stream, up_to);
  if (!state || !std::holds_alternative<Aggregate>(*state)) return std::nullopt;
  return std::get<Aggregate>(std::move(*state));
}

// Folded states for readers outside a write (authentication, store settings), always as of the log's head: a
// cached state is used only while its stream has not grown. Thread-safe.
class StateReader {
 public:
  using Shared = std::shared_ptr<const domain::AggregateState>;

  // Keeps this many states of usual size, or fewer larger ones. The log must outlive it.
  explicit StateReader(const Log& log, std::size_t states_max = 16'384)
      : log_(log), states_max_(states_max) {}

  // Returns null if the stream has no events. `head` is the log's head as the caller has just read it.
  Shared find(const StreamName& stream, const Head& head);

  // The weight of the cached states (domain/decisions/state_weight.h).
  std::size_t weight() const;

 private:
  struct Entry {
    std::uint32_t version = 0;
    Position as_of;
    Shared state;
    std::size_t weight = 0;
  };
  using Entries = std::unordered_map<StreamName, Entry>;
  Shared refresh(const StreamName& stream, const Head& head, Entry entry);
  void keep(const StreamName& stream, const Entry& entry);
  void forget(Entries::iterator entry);

  const Log& log_;
  const std::size_t states_max_;
  mutable std::mutex mutex_;
  std::size_t weight_ = 0;  // of all entries
  Entries entries_;
};

}  // namespace pixledger::eventstore
