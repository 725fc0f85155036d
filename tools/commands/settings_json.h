#pragma once

#include "eventstore/codec/event_json.h"
#include "tools/cli/json.h"

namespace pixledger::tools {

using eventstore::write_connections;
using eventstore::write_settings_fields;

}  // namespace pixledger::tools
