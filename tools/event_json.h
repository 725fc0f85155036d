#pragma once

#include "eventstore/process/event_json.h"
#include "tools/json.h"

namespace pixledger::tools {

using eventstore::write_event;

}  // namespace pixledger::tools
