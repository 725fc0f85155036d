#pragma once

#include <optional>
#include <string>

#include "domain/aggregates/event.h"
#include "domain/decisions/dispatch.h"

namespace pixledger::domain {

// The invariants of recorded events: checks that an event was legal in the state before it. Null is the state
// before a stream's first event. Returns the violated rule, or nullopt if the event is legal. No rule depends
// on personal data, which may have been erased.
std::optional<std::string> broken_rule(const AggregateState* state, const RecordedEvent& event);

}  // namespace pixledger::domain
