#pragma once

#include <optional>
#include <string>

#include "domain/aggregates/event.h"
#include "domain/decisions/dispatch.h"
#include "eventstore/log/log.h"

namespace pixledger::tools {

// What is wrong with an event beside those of the checkout session, the charge or the channel that it is tied
// to; nothing for an event that is tied to none. A session and its charges know each other, it is complete by
// the payment of one, and has the channel that says so. `state`: of the event's stream before it, null before
// the first. Throws what reading damaged events throws.
std::optional<std::string> broken_session_tie(const eventstore::Log& log, const domain::AggregateState* state,
                                              const domain::RecordedEvent& event);

}  // namespace pixledger::tools
