#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "domain/aggregates/customer.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET /api/customers and /api/v1/customers.
Reply list_customers(const Services& services, const Request& request);

// GET /api/v1/customers/:id, and GET /api/customers/:id, which leaves the fraud events out.
Reply get_customer_v1(const Services& services, const Request& request);
Reply get_customer(const Services& services, const Request& request);

}  // namespace pixledger::http
