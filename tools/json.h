#pragma once

#include "eventstore/process/json.h"

namespace pixledger::tools {

using eventstore::Json;

}  // namespace pixledger::tools
