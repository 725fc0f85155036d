#pragma once

#include "eventstore/clock.h"
#include "eventstore/log.h"
#include "eventstore/state_reader.h"
#include "http/router.h"

namespace pixledger::http {

// The guard of every route that is not public: the key in `Authorization: Bearer …` must be known, usable
// now, used from an address it allows (401 ERR_AUTH_009), and have the route's scope (403 ERR_AUTH_010).
// Reads the key's stream as of the log's head, so a revoked key stops at once.
Guard make_guard(const eventstore::Log& log, eventstore::StateReader& states, const eventstore::Clock& clock);

}  // namespace pixledger::http
