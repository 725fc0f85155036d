#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

// /api/v1/payer/sessions/:token, for the server of payers' pages alone. The guard has found the session that
// the token opens: it is the caller's.
namespace pixledger::http {

Answer get_payer_session(const Services& services, const Request& request);
// Says who pays: the first charge.
Answer add_payer_customer(const Services& services, const Request& request);
// The next charge, of whoever paid the one before.
Answer add_payer_charge(const Services& services, const Request& request);
Answer simulate_payer_payment(const Services& services, const Request& request);
Reply get_payer_proof(const Services& services, const Request& request);
Reply get_payer_logo(const Services& services, const Request& request);

}  // namespace pixledger::http
