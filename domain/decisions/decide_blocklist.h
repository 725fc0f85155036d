#pragma once

#include "domain/aggregates/blocklist.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decision.h"

// The decisions about blocklists. Pure; guards in documented order.
namespace pixledger::domain {

Decision decide(const Blocklist* blocklist, const AddBlocklistEntry&, const Context&);

// Both of a project's. Pointers may be null: nothing there yet.
struct Blocklists {
  const Blocklist* live;
  const Blocklist* sandbox;
};
Decision decide(const Blocklists& blocklists, const RemoveBlocklistEntry&, const Context&);

}  // namespace pixledger::domain
