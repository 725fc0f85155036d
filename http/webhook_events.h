#pragma once

#include "http/reply.h"
#include "http/request.h"

namespace pixledger::http {

// GET /api/v1/notification-channels/events: what a channel can be told of.
Reply list_webhook_events(const Request& request);

}  // namespace pixledger::http
