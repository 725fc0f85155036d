#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET of the ways in which money comes in, and of how the banks behind them do. How a bank is spoken to is
// the operator's alone.
Reply list_connections(const Services& services, const Request& request);

}  // namespace pixledger::http
