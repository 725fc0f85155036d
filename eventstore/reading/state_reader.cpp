#include "eventstore/reading/state_reader.h"

#include <utility>

#include "domain/decisions/state_weight.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"

namespace pixledger::eventstore {

std::optional<domain::AggregateState> fold_stream(const Log& log, const StreamName& stream, Position up_to) {
  std::optional<domain::AggregateState> state;
  for (const auto& stored : StreamEvents(log, stream, 0, up_to)) {
    const auto event = decode(stored);
    state = domain::apply(std::move(state), event.event, event.recorded_at);
  }
  return state;
}

StateReader::Shared StateReader::find(const StreamName& stream, const Head& head) {
  Entry known;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(stream);
    if (found != entries_.end()) {
      if (found->second.as_of >= head.position) return found->second.state;
      known = found->second;
    }
  }
  return refresh(stream, head, std::move(known));
}

StateReader::Shared StateReader::refresh(const StreamName& stream, const Head& head, Entry entry) {
  const auto known = entry.version;
  std::optional<domain::AggregateState> state;
  for (const auto& stored : StreamEvents(log_, stream, known)) {
    if (entry.version == known && entry.state) state = *entry.state;
    const auto event = decode(stored);
    state = domain::apply(std::move(state), event.event, event.recorded_at);
    ++entry.version;
  }
  if (entry.version != known)
    entry.state = state ? std::make_shared<const domain::AggregateState>(*std::move(state)) : nullptr;
  entry.as_of = head.position;
  // Streams that do not exist are not cached: any client can ask for any number of them.
  if (entry.version == 0) return nullptr;
  entry.weight = domain::weight_of(entry.state.get());
  keep(stream, entry);
  return entry.state;
}

void StateReader::keep(const StreamName& stream, const Entry& entry) {
  const std::lock_guard lock(mutex_);
  if (const auto before = entries_.find(stream); before != entries_.end()) forget(before);
  while (!entries_.empty() && weight_ + entry.weight > states_max_) forget(entries_.begin());
  entries_.emplace(stream, entry);
  weight_ += entry.weight;
}

void StateReader::forget(Entries::iterator entry) {
  weight_ -= entry->second.weight;
  entries_.erase(entry);
}

std::size_t StateReader::weight() const {
  const std::lock_guard lock(mutex_);
  return weight_;
}

}  // namespace pixledger::eventstore
