#pragma once

#include "http/reply.h"
#include "http/request.h"
#include "http/services.h"

namespace pixledger::http {

// GET /api/v1/transactions and GET /api/transactions: the same charges and filters; the items differ.
Reply list_transactions_v1(const Services& services, const Request& request);
Reply list_transactions(const Services& services, const Request& request);

}  // namespace pixledger::http
