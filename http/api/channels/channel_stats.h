#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET of how a channel's receiver has answered in the last 24 hours.
Reply get_channel_stats(const Services& services, const Request& request);

}  // namespace pixledger::http
