#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET and POST /api/v1/notification-channels; GET, PATCH and DELETE /api/v1/notification-channels/:id.
Reply list_channels(const Services& services, const Request& request);
Answer add_channel(const Services& services, const Request& request);
Reply get_channel(const Services& services, const Request& request);
Answer update_channel(const Services& services, const Request& request);
Answer delete_channel(const Services& services, const Request& request);

// POST /api/v1/notification-channels/:id/rotate-secret
Answer rotate_channel_secret(const Services& services, const Request& request);

}  // namespace pixledger::http
