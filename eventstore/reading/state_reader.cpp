#include "eventstore/reading/state_reader.h"

#include "eventstore/codec/codec.h"

namespace pixledger::eventstore {
namespace {

std::optional<domain::AggregateState> fold(std::optional<domain::AggregateState> state,
                                           const std::vector<StoredEvent>& stored) {
  for (const auto& bytes : stored) {
    const auto event = decode(bytes);
    state = domain::apply(std::move(state), event.event, event.recorded_at);
  }
  return state;
}

}  // namespace

std::optional<domain::AggregateState> fold_stream(const Log& log, const StreamName& stream, Position up_to) {
  return fold(std::nullopt, log.read_stream(stream, 0, up_to));
}

StateReader::Shared StateReader::find(const StreamName& stream, const Head& head) {
  std::optional<Entry> known;
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

StateReader::Shared StateReader::refresh(const StreamName& stream, const Head& head,
                                         std::optional<Entry> known) {
  auto entry = known.value_or(Entry{0, Position(), nullptr});
  const auto newer = log_.read_stream(stream, entry.version, kNoLimit);
  if (!newer.empty()) {
    std::optional<domain::AggregateState> state;
    if (entry.state) state = *entry.state;
    state = fold(std::move(state), newer);
    entry.version += static_cast<std::uint32_t>(newer.size());
    entry.state = state ? std::make_shared<const domain::AggregateState>(std::move(*state)) : nullptr;
  }
  entry.as_of = head.position;
  // Streams that do not exist are not remembered: anybody can ask for those.
  if (entry.version == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  if (entries_.size() >= states_max_) entries_.erase(entries_.begin());
  entries_.insert_or_assign(stream, entry);
  return entry.state;
}

}  // namespace pixledger::eventstore
