#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET of the project's newest calls that were refused or failed at this server, by error and one by one.
Reply list_failed_requests(const Services& services, const Request& request);

}  // namespace pixledger::http
