#pragma once

#include <optional>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/decisions/rejection.h"
#include "http/api/common/personal_json.h"
#include "http/front/caller.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET of one transaction, in both path groups. A charge past its expiry is expired by the check,
// but not by one that asks how it was (`asOf`).
Answer get_transaction(const Services& services, const Request& request);

// Why the caller may not see this charge; nullopt when it may.
std::optional<domain::Rejection> guard_charge(const std::optional<domain::Charge>& charge,
                                              const Caller& caller);

// The full detail, as status check, cancel and refund answer it; with why a payment did not pay it, where one
// was just reported.
Reply render_transaction(const domain::Charge& charge, const std::optional<domain::Customer>& customer,
                         PersonalData personal, std::optional<domain::PaymentFlag> flag = std::nullopt);

}  // namespace pixledger::http
