#pragma once

#include "domain/aggregates/event.h"
#include "eventstore/platform/json.h"

namespace pixledger::eventstore {

// One event for who may see all of it: position, stream, version, type, recordedAt, actor, requestId, data.
// Personal data is shown (null once erased); secrets and the hashes of keys are not.
void write_event(Json& json, const domain::RecordedEvent& event);

}  // namespace pixledger::eventstore
