#pragma once

#include "http/message/reply.h"
#include "http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET /api/v1/notification-channels/:id/deliveries
Reply list_deliveries(const Services& services, const Request& request);

// What asks the webhook worker for something. The request is in the ledger when it is answered; the worker
// finds it there.

// POST /api/v1/notification-channels/:id/test
Answer test_channel(const Services& services, const Request& request);
// POST /api/v1/notification-channels/:id/recover
Answer recover_deliveries(const Services& services, const Request& request);
// POST /api/v1/deliveries/:id/redeliver
Answer redeliver(const Services& services, const Request& request);

}  // namespace pixledger::http
