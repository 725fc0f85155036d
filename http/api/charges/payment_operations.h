#pragma once

#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

// What people say of money that came in. No key can: it is as good as the bank's own word.
namespace pixledger::http {

// POST /api/v1/transactions/:id/confirm {endToEndId, amountCents, paidAt?}: a payment arrived for it. The
// answer has a `flag` where it was recorded and does not pay the transaction.
Answer confirm_payment(const Services& services, const Request& request);

// POST /api/v1/payments/:endToEndId/accept: a payment that did not fit pays its transaction after all.
Answer accept_payment(const Services& services, const Request& request);

// POST /api/v1/payments/:endToEndId/return {reason?, sendBack?}: it goes back to its payer, through the bank
// that the transaction is of unless `sendBack` says otherwise; else by other hands, which is only noted.
Answer return_payment(const Services& services, const Request& request);

}  // namespace pixledger::http
