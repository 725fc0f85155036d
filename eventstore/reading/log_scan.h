#pragma once

#include <functional>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// Every event after one position up to another, in order, as far as the log goes. Reads in batches: nothing
// is open while `visit` runs, for as long as that may take. Throws what decode throws.
void for_each_event(const Log& log, Position after, Position last,
                    const std::function<void(const domain::RecordedEvent&)>& visit);

// The newest event that was recorded at that moment or before; 0 when there is none.
Position position_at(const Log& log, Timestamp moment);

}  // namespace pixledger::eventstore
