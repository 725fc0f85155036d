#pragma once

#include <optional>
#include <string>

#include "domain/aggregates/event.h"
#include "domain/decisions/dispatch.h"

namespace pixledger::domain {

// What decisions promise of the events they record, seen from the event: whether it was legal in the state
// that it met. Null is the state before a stream's first event. Returns what is wrong, and nothing when the
// event is legal. Personal data may have been erased meanwhile, so no rule depends on them.
std::optional<std::string> broken_rule(const AggregateState* state, const RecordedEvent& event);

}  // namespace pixledger::domain
