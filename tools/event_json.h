#pragma once

#include "domain/event.h"
#include "tools/json.h"

namespace pixledger::tools {

// One event for auditors: position, stream, version, type, recordedAt, actor, requestId, data. Personal data
// is shown (null once erased); secrets and the hashes of keys are not.
void write_event(Json& json, const domain::RecordedEvent& event);

}  // namespace pixledger::tools
