#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

// /api/v1/keys: what programs call the API with for the project. For its owners; of whoever acts in the
// sandbox only its keys.
namespace pixledger::http {

// Newest first.
Reply list_keys(const Services& services, const Request& request);
// The key itself is in this answer and nowhere else, so a repeat under an Idempotency-Key has null in its
// place.
Answer issue_key(const Services& services, const Request& request);
// The same of a successor, beside which the old key works on for a while.
Answer roll_key(const Services& services, const Request& request);
Answer revoke_key(const Services& services, const Request& request);

}  // namespace pixledger::http
