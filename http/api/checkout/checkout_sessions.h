#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

// /api/v1/checkout/sessions, for merchants. Another project's session does not exist.
namespace pixledger::http {

Answer create_checkout_session(const Services& services, const Request& request);
Reply list_checkout_sessions(const Services& services, const Request& request);
Reply get_checkout_session(const Services& services, const Request& request);
Answer cancel_checkout_session(const Services& services, const Request& request);
Reply list_checkout_deliveries(const Services& services, const Request& request);

// Whether a creation may have to ask name servers: where its webhooks are to go.
bool may_name_a_target(const Request& request);

}  // namespace pixledger::http
