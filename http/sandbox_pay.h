#pragma once

#include "http/reply.h"
#include "http/request.h"
#include "http/services.h"

namespace pixledger::http {

// POST /api/sandbox/transactions/:id/pay: simulates the payment of a sandbox charge.
Reply sandbox_pay(const Services& services, const Request& request);

}  // namespace pixledger::http
