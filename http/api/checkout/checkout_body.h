#pragma once

#include <optional>

#include "domain/decisions/command.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/services.h"

namespace pixledger::http {

// The body of POST, without the session's id and the secret of its channel, whose URL it has. Finishes the
// input: nullopt when there are violations.
std::optional<domain::CreateCheckoutSession> read_new_checkout(const Services& services, const Caller& caller,
                                                               domain::CheckoutSessionId id, Input& input);

}  // namespace pixledger::http
