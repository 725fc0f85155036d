#pragma once

#include "http/front/caller.h"
#include "http/json/error_reply.h"
#include "http/services/services.h"
#include "projections/generations/projector.h"

namespace pixledger::http {

// How long a read waits for the read models to reach the log's head as of its arrival, before it is answered
// 503 rather than with stale data.
constexpr std::chrono::milliseconds kFreshnessWaitMax{1000};

// Whether the read models show all that the log had when the request arrived; waits for them at most so long.
inline bool views_are_fresh(const Services& services, const Caller& caller) {
  return services.projector.wait_applied(caller.arrival.position, kFreshnessWaitMax);
}

// What a read is told when they do not.
inline Reply views_behind_reply(const Request& request) {
  return transport_error_reply(request, 503, "The read models are behind the ledger. Try again.");
}

}  // namespace pixledger::http
