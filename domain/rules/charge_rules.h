#pragma once

#include "domain/aggregates/event.h"
#include "domain/rules/rule_list.h"

namespace pixledger::domain {

// Why an event may not come next in its charge's stream; nothing when it may.
Problem broken_charge_rule(const Charge* charge, const RecordedEvent& recorded, const ChargeEvent& event);

}  // namespace pixledger::domain
