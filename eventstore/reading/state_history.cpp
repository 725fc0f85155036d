#include "eventstore/reading/state_history.h"

#include <algorithm>
#include <utility>

#include "eventstore/codec/codec.h"

// What is kept of a stream are states at every `stride` versions and the one of the look that came furthest:
// whoever follows the log in order reads only the new events, and whoever comes back to an earlier position
// reads at most `stride` of them. When a stream has grown so long that these states are too many, every other
// one is dropped and the stride doubles.
namespace pixledger::eventstore {

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
  const auto newer = log_.read_stream(stream, kept.version, position);
  if (newer.empty()) return kept.state;
  std::optional<domain::AggregateState> state;
  if (kept.state) state = *kept.state;
  std::vector<Kept> on_the_way;
  for (const auto& stored : newer) {
    const auto event = decode(stored);
    state = domain::apply(std::move(state), event.event, event.recorded_at);
    kept.version = event.version;
    kept.position = event.position;
    if (event.version % kStride == 0)
      on_the_way.push_back({event.version, event.position,
                            state ? std::make_shared<const domain::AggregateState>(*state) : nullptr});
  }
  kept.state = state ? std::make_shared<const domain::AggregateState>(*std::move(state)) : nullptr;
  keep(stream, std::move(on_the_way), kept);
  return kept.state;
}

void StateHistory::keep(const StreamName& name, std::vector<Kept> on_the_way, Kept last) {
  const std::lock_guard lock(mutex_);
  const auto [found, inserted] = streams_.try_emplace(name);
  auto& stream = found->second;
  if (inserted) {
    by_use_.push_front(name);
    stream.use = by_use_.begin();
  }
  states_ -= inserted ? 0 : stream.on_the_way.size() + 1;
  for (auto& kept : on_the_way) add(stream, std::move(kept));
  if (stream.last.position < last.position) stream.last = std::move(last);
  states_ += stream.on_the_way.size() + 1;
  forget_what_is_too_much();
}

void StateHistory::forget_what_is_too_much() {
  while (states_ > states_max_ && streams_.size() > 1) {
    const auto oldest = streams_.find(by_use_.back());
    states_ -= oldest->second.on_the_way.size() + 1;
    streams_.erase(oldest);
    by_use_.pop_back();
  }
}

void StateHistory::add(Stream& stream, Kept kept) {
  if (kept.version % stream.stride != 0) return;
  auto& all = stream.on_the_way;
  if (!all.empty() && all.back().version >= kept.version) return;
  all.push_back(std::move(kept));
  if (all.size() <= kStatesOfStreamMax) return;
  stream.stride *= 2;
  std::erase_if(all, [&](const Kept& each) { return each.version % stream.stride != 0; });
}

}  // namespace pixledger::eventstore
