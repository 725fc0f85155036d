#pragma once

#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// POST /api/v1/customers/:id/block {blockType, reason, expiresAt?} and /unblock (no body; what is sent is
// ignored). Doing either twice is the same as once.
Answer block_customer(const Services& services, const Request& request);
Answer unblock_customer(const Services& services, const Request& request);

}  // namespace pixledger::http
