#pragma once

#include <string>

#include "domain/aggregates/event.h"
#include "domain/decisions/dispatch.h"

namespace pixledger::tests {

// Every field of an event or a state as text: equal texts are equal values, and a failed comparison can be
// read. A forgotten field is an error of the compiler.
std::string describe(const domain::Event& event);
std::string describe(const domain::AggregateState& state);
std::string describe(const domain::Outcome& outcome);

// "charge-c…: ChargePaid{…}"
std::string describe(const domain::NewEvent& event);
std::string describe(const domain::RecordedEvent& event);

}  // namespace pixledger::tests
