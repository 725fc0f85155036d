#pragma once

#include <optional>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/services/services.h"

// What is counted of attempts to sign in that fail.
namespace pixledger::http {

// 429 where too many have failed from the request's address.
std::optional<Reply> refuse_address(const Services& services, const Request& request);

// Counts a failure of the request's address: 401 ERR_AUTH_011, or 429.
Reply fail_for_address(const Services& services, const Request& request);

}  // namespace pixledger::http
