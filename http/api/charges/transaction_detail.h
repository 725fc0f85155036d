#pragma once

#include <optional>
#include <string>

#include "base/http/message/reply.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/decisions/rejection.h"
#include "domain/values/cuid.h"
#include "http/api/common/personal_json.h"
#include "http/front/caller.h"

namespace pixledger::http {

// Why the caller may not see this charge; nullopt when it may.
std::optional<domain::Rejection> guard_charge(const std::optional<domain::Charge>& charge,
                                              const Caller& caller);

// The full detail, as status check, cancel and refund answer it; with why a payment did not pay it, where one
// was just reported.
Reply render_transaction(const domain::Charge& charge, const std::optional<domain::Customer>& customer,
                         PersonalData personal, std::optional<domain::PaymentFlag> flag = std::nullopt);

// Where the drawing of a transaction's code is: "/api/v1/transactions/…/qr.svg".
std::string qr_path(const domain::ChargeId& id);

}  // namespace pixledger::http
