#pragma once

#include "eventstore/platform/json.h"

namespace pixledger::tools {

using eventstore::Json;

}  // namespace pixledger::tools
