#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET of what happened to one transaction, oldest first: the feed's items, each with who caused it.
Reply get_transaction_events(const Services& services, const Request& request);

}  // namespace pixledger::http
