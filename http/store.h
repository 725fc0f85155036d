#pragma once

#include "http/reply.h"
#include "http/request.h"
#include "http/services.h"

namespace pixledger::http {

// GET /api/v1/store/: the store of the caller's key.
Reply get_store(const Services& services, const Request& request);

}  // namespace pixledger::http
