#pragma once

#include "eventstore/log/log.h"

namespace pixledger::projections {

// The last position with an earlier time than the moment, 0 where there is none. Reads a few events: times
// never decrease along the log.
domain::Position last_position_before(const eventstore::Log& log, domain::Timestamp moment);

}  // namespace pixledger::projections
