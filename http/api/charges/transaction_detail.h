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

// Why the caller may not see this charge; nullopt if they may.
std::optional<domain::Rejection> guard_charge(const std::optional<domain::Charge>& charge,
                                              const Caller& caller);

// The full detail, as replied by status check, cancel and refund. `flag`: why a payment just reported did not
// pay the charge.
Reply render_transaction(const domain::Charge& charge, const std::optional<domain::Customer>& customer,
                         PersonalData personal, std::optional<domain::PaymentFlag> flag = std::nullopt);

// The path of a transaction's QR code: "/api/v1/transactions/…/qr.svg".
std::string qr_path(const domain::ChargeId& id);

}  // namespace pixledger::http
