#pragma once

#include <functional>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// Visits every event after one position up to another, in order, as far as the log goes. Reads in batches: no
// snapshot is open while `visit` runs, however long it takes. Throws what decode throws.
void for_each_event(const Log& log, Position after, Position last,
                    const std::function<void(const domain::RecordedEvent&)>& visit);

// Returns when the event at that position was recorded. Throws LogCorrupt if the log lacks it.
Timestamp recorded_at(const Log& log, Position position);

// Returns the position of the newest event recorded at that moment or before; 0 if all are later.
Position position_at(const Log& log, Timestamp moment);

}  // namespace pixledger::eventstore
