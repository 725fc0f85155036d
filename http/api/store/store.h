#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET /api/v1/store/: the store of the caller's key.
Reply get_store(const Services& services, const Request& request);

// PATCH /api/v1/store {name?, pixExpirationMinutes?, maxTransactionAmountCents?}: changes what is given and
// answers the store as it is from then on.
Answer change_store(const Services& services, const Request& request);

}  // namespace pixledger::http
