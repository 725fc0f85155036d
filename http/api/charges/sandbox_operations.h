#pragma once

#include "http/message/reply.h"
#include "http/message/request.h"
#include "http/services/services.h"

namespace pixledger::http {

// POST /api/sandbox/transactions/:id/pay, /expire and /fail: simulate what happens to a sandbox charge. They
// have no body.
Reply sandbox_pay(const Services& services, const Request& request);
Reply sandbox_expire(const Services& services, const Request& request);
Reply sandbox_fail(const Services& services, const Request& request);

}  // namespace pixledger::http
