#pragma once

#include "eventstore/log/log.h"

namespace pixledger::stores {

// The last position with an earlier time than the moment, 0 where there is none. Reads a few events: times
// never decrease along the log.
Position last_position_before(const eventstore::Log& log, Timestamp moment);

}  // namespace pixledger::stores
