#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET of the transactions and customers that a text names or describes, ten of each: whatever a person at a
// desk has at hand.
Reply search(const Services& services, const Request& request);

}  // namespace pixledger::http
