#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"

namespace pixledger::http {

// GET /api/v1/notification-channels/events: what a channel can be told of.
Reply list_webhook_events(const Request& request);

}  // namespace pixledger::http
