#pragma once

#include "domain/aggregates/event.h"
#include "domain/rules/rule_list.h"

namespace pixledger::domain {

// Why an event may not come next in its team's stream; nothing when it may.
Problem broken_team_rule(const Team* team, const TeamEvent& event);

}  // namespace pixledger::domain
