#pragma once

#include <cstdint>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// Returns the lowest ledger format (log/ledger_log.h) whose releases can read this event. The first such
// event raises the format of the ledger. An older release then reports that a newer one wrote the ledger,
// instead of reporting damage; before that event it can still use the ledger.
std::uint32_t needed_format(const domain::RecordedEvent& event);
// Returns the newest format for a damaged event: no release can read it.
std::uint32_t needed_format_of_stored(const StoredEvent& stored);

}  // namespace pixledger::eventstore
