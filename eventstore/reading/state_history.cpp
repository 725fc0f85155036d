#include "eventstore/reading/state_history.h"

#include <algorithm>
#include <utility>

#include "domain/decisions/state_weight.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"

// A stream keeps its states at every `stride` versions, and the state at the highest position asked for. A
// caller that follows the log in order reads only the new events; one that returns to an earlier position
// reads at most `stride` events. If a stream's kept states become too many or too large, every other one is
// dropped and the stride doubles.
namespace pixledger::eventstore {
namespace {

constexpr std::size_t kPartOfOneStream = 8;  // one stream's kept states may be 1/8 of all

StateHistory::Shared shared(std::optional<domain::AggregateState> state) {
  return state ? std::make_shared<const domain::AggregateState>(*std::move(state)) : nullptr;
}

}  // namespace

StateHistory::Kept StateHistory::nearest(const StreamName& stream, Position position) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return {};
  const auto& known = found->second;
  by_use_.splice(by_use_.begin(), by_use_, known.use);
  if (known.last.position <= position) return known.last;
  const auto behind =
      std::upper_bound(known.on_the_way.begin(), known.on_the_way.end(), position,
                       [](Position wanted, const Kept& kept) { return wanted < kept.position; });
  return behind == known.on_the_way.begin() ? Kept{} : *std::prev(behind);
}

StateHistory::Shared StateHistory::at(const StreamName& stream, Position position) {
  auto kept = nearest(stream, position);
  std::optional<domain::AggregateState> state;
  Stream passed;
  bool is_newer = false;
  for (const auto& stored : StreamEvents(log_, stream, kept.version, position)) {
    if (!std::exchange(is_newer, true) && kept.state) state = *kept.state;
    const auto event = decode(stored);
    state = domain::apply(std::move(state), event.event, event.recorded_at);
    kept.version = event.version;
    kept.position = event.position;
    if (event.version % passed.stride == 0) add(passed, {event.version, event.position, shared(state)});
  }
  if (!is_newer) return kept.state;
  kept.state = shared(std::move(state));
  kept.weight = domain::weight_of(kept.state.get());
  keep(stream, std::move(passed.on_the_way), kept);
  return kept.state;
}

std::size_t StateHistory::weight() const {
  const std::lock_guard lock(mutex_);
  return weight_;
}

void StateHistory::keep(const StreamName& name, std::vector<Kept> on_the_way, Kept last) {
  const std::lock_guard lock(mutex_);
  const auto [found, inserted] = streams_.try_emplace(name);
  auto& stream = found->second;
  if (inserted) {
    by_use_.push_front(name);
    stream.use = by_use_.begin();
  }
  weight_ -= inserted ? 0 : stream.way_weight + stream.last.weight;
  for (auto& kept : on_the_way) add(stream, std::move(kept));
  if (stream.last.position < last.position) stream.last = std::move(last);
  weight_ += stream.way_weight + stream.last.weight;
  forget_what_is_too_much();
}

void StateHistory::forget_what_is_too_much() {
  while (weight_ > states_max_ && streams_.size() > 1) {
    const auto oldest = streams_.find(by_use_.back());
    weight_ -= oldest->second.way_weight + oldest->second.last.weight;
    streams_.erase(oldest);
    by_use_.pop_back();
  }
}

void StateHistory::add(Stream& stream, Kept kept) const {
  if (kept.version % stream.stride != 0) return;
  auto& all = stream.on_the_way;
  if (!all.empty() && all.back().version >= kept.version) return;
  kept.weight = domain::weight_of(kept.state.get());
  stream.way_weight += kept.weight;
  all.push_back(std::move(kept));
  while (all.size() > kStatesOfStreamMax || stream.way_weight > states_max_ / kPartOfOneStream) {
    stream.stride *= 2;
    std::erase_if(all, [&](const Kept& each) { return each.version % stream.stride != 0; });
    stream.way_weight = 0;
    for (const auto& each : all) stream.way_weight += each.weight;
  }
}

}  // namespace pixledger::eventstore
