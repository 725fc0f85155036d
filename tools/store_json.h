#pragma once

#include "eventstore/process/store_json.h"
#include "tools/json.h"

namespace pixledger::tools {

using eventstore::write_connections;
using eventstore::write_settings_fields;

}  // namespace pixledger::tools
