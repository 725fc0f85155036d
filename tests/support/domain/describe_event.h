#pragma once

#include <string>

#include "domain/aggregates/event.h"
#include "domain/decisions/dispatch.h"

namespace pixledger::tests {

// Every field of an event or a state as text: equal texts mean equal values, and a failed comparison is
// readable. A forgotten field does not compile.
std::string describe(const domain::Event& event);
std::string describe(const domain::AggregateState& state);
std::string describe(const domain::Outcome& outcome);

// "charge-c…: ChargePaid{…}"
std::string describe(const domain::NewEvent& event);
std::string describe(const domain::RecordedEvent& event);

}  // namespace pixledger::tests
