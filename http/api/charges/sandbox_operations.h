#pragma once

#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// POST /api/sandbox/transactions/:id/pay, /expire and /fail: simulate what happens to a sandbox charge. They
// have no body.
Answer sandbox_pay(const Services& services, const Request& request);
Answer sandbox_expire(const Services& services, const Request& request);
Answer sandbox_fail(const Services& services, const Request& request);

}  // namespace pixledger::http
