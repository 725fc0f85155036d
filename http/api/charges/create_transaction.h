#pragma once

#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// POST /api/v1/transactions: 201 with the charge's id and PIX code.
Answer create_transaction(const Services& services, const Request& request);

}  // namespace pixledger::http
