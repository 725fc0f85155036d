#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET of one delivery with what its last attempt sent, or its first one will.
Reply get_delivery(const Services& services, const Request& request);

// GET of an event as a channel is told of it in v1 and in v2: the newest that it was told of, or else a test.
Reply preview_channel(const Services& services, const Request& request);

}  // namespace pixledger::http
