#include "eventstore/reading/stream_customers.h"

#include <algorithm>

#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"

namespace pixledger::eventstore {
namespace {

const domain::CustomerId* registered_by(const domain::Event& event) {
  const auto* of_customer = std::get_if<domain::CustomerEvent>(&event);
  const auto* registered = of_customer ? std::get_if<domain::CustomerRegistered>(of_customer) : nullptr;
  return registered ? &registered->id : nullptr;
}

}  // namespace

domain::CustomerId StreamCustomers::at(const domain::RecordedEvent& event) {
  Known known;
  {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(event.stream);
    if (found != streams_.end()) known = found->second;
  }
  if (known.until < event.version) {
    read_on(known, event);
    const std::lock_guard lock(mutex_);
    if (streams_.size() >= streams_max_ && streams_.count(event.stream) == 0)
      streams_.erase(streams_.begin());
    auto& kept = streams_[event.stream];
    if (kept.until < known.until) kept = known;
  }
  const auto& all = known.registrations;
  const auto later = std::find_if(
      all.begin(), all.end(), [&](const auto& registration) { return registration.first > event.version; });
  if (later == all.begin()) throw LogCorrupt("an event of a customer that was never registered");
  return std::prev(later)->second;
}

void StreamCustomers::read_on(Known& known, const domain::RecordedEvent& event) const {
  const auto note = [&known](std::uint32_t version, const domain::Event& what) {
    if (const auto* id = registered_by(what)) known.registrations.emplace_back(version, *id);
    known.until = version;
  };
  if (known.until + 1 < event.version) {
    const Position before(event.position.value() - 1);
    for (const auto& stored : StreamEvents(log_, event.stream, known.until, before))
      note(known.until + 1, decode(stored).event);
  }
  if (known.until + 1 != event.version) throw LogCorrupt("a customer's stream has a gap");
  note(event.version, event.event);
}

}  // namespace pixledger::eventstore
