#pragma once

#include "domain/aggregates/blocklist.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decision.h"

// The decisions about blocklists. Pure; guards in documented order.
namespace pixledger::domain {

Decision decide(const Blocklist* blocklist, const AddBlocklistEntry&, const Context&);
Decision decide(const Blocklist* blocklist, const RemoveBlocklistEntry&, const Context&);

}  // namespace pixledger::domain
