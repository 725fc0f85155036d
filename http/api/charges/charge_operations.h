#pragma once

#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// POST /api/v1/transactions/:id/cancel: a charge that waits for its payment is cancelled. It has no body.
Answer cancel_transaction(const Services& services, const Request& request);

// POST /api/v1/transactions/:id/refund {amountCents?, reason?}: gives back the payment or a part of it;
// without a body all that is left.
Answer refund_transaction(const Services& services, const Request& request);

}  // namespace pixledger::http
