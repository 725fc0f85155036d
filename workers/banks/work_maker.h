#pragma once

#include <vector>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "stores/banks/provider_repository.h"

namespace pixledger::workers {

// What an event gives the banks to do, or takes off them. Reads the charge as of the event where that does
// not say whose bank it is about. Throws what the log throws.
std::vector<stores::BankChange> bank_changes_of(const domain::RecordedEvent& event,
                                                const eventstore::Log& log);

}  // namespace pixledger::workers
