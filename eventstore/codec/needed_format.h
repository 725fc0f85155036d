#pragma once

#include <cstdint>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// The least format of a ledger (log/ledger_format.h) whose releases read this event. A ledger gets that
// format with the first such event, so that an older release says that a newer one wrote it rather than take
// it for damaged; until then the older one can go on with it.
std::uint32_t needed_format(const domain::RecordedEvent& event);
// The newest where the event is damaged: no release is said to read it.
std::uint32_t needed_format_of_stored(const StoredEvent& stored);

}  // namespace pixledger::eventstore
