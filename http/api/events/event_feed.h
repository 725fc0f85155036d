#pragma once

#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET of the project's own events, in the order of the ledger and without a gap. With `wait`, a caller who
// has them all is answered when there is a new one.
Answer list_events(const Services& services, const Request& request);

}  // namespace pixledger::http
