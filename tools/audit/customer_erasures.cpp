#include "tools/audit/customer_erasures.h"

#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"

namespace pixledger::tools {

std::optional<Position> CustomerErasures::of(const domain::CustomerId& customer) {
  const auto stream = log_.claim_holder(domain::customer_claim(customer));
  if (!stream) return std::nullopt;
  const auto& known = read_on(*stream);
  const auto found = known.erased.find(customer);
  return found == known.erased.end() ? std::nullopt : std::optional(found->second);
}

bool CustomerErasures::is_any_after(const domain::StreamName& stream, Position position) {
  return position < read_on(stream).last;
}

const CustomerErasures::Known& CustomerErasures::read_on(const domain::StreamName& stream) {
  auto& known = streams_[stream];
  for (const auto& stored : eventstore::StreamEvents(log_, stream, known.version)) {
    const auto event = eventstore::decode(stored);
    ++known.version;
    const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
    const auto* erased = change ? std::get_if<domain::CustomerErased>(change) : nullptr;
    if (!erased) continue;
    known.erased.emplace(erased->id, event.position);
    known.last = event.position;
  }
  return known;
}

}  // namespace pixledger::tools
