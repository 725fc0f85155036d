#pragma once

#include "http/message/reply.h"
#include "http/message/request.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET /api/v1/transactions and GET /api/transactions: the same charges and filters; the items differ.
Reply list_transactions_v1(const Services& services, const Request& request);
Reply list_transactions(const Services& services, const Request& request);

}  // namespace pixledger::http
