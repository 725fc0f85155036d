#pragma once

#include "eventstore/log/log.h"
#include "projections/storage/log_cursor.h"

// Where a worker begins that has no state and is not told (InitialCursor): at a head up to which there was
// nothing to tell. Channels and charges may come meanwhile; those are after it. Both throw
// std::runtime_error, which says to tell the worker, when there was something.
namespace pixledger::workers {

// Without channels there was nobody to tell.
projections::LogCursor start_without_channels(const eventstore::Log& log);

// Without charges there was no purchase to confirm. Reads up to the first one, which ledgers in use have
// early.
projections::LogCursor start_without_charges(const eventstore::Log& log);

}  // namespace pixledger::workers
