#pragma once

#include "eventstore/clock.h"
#include "eventstore/log.h"
#include "eventstore/state_reader.h"
#include "http/access_metrics.h"
#include "http/failed_authentications.h"
#include "http/rate_limit.h"
#include "http/router.h"

namespace pixledger::http {

// What the guard works on; all of it is thread-safe and outlives the guard.
struct GuardServices {
  const eventstore::Log& log;
  eventstore::StateReader& states;
  const eventstore::Clock& clock;
  RateLimiter& rate_limiter;
  FailedAuthentications& failed_authentications;
  AccessMetrics& metrics;
};

// The guard of every route that is not public, in this order: the key in `Authorization: Bearer …` must be
// known, usable now and used from an address it allows (401 ERR_AUTH_009; 429 ERR_RATE_001 when too many from
// that address were not), within its rate (429 ERR_RATE_001), and have the route's scope (403 ERR_AUTH_010).
// Reads the key's stream as of the log's head, so a revoked key stops at once.
Guard make_guard(const GuardServices& services);

}  // namespace pixledger::http
