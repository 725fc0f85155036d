#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET /healthz: the process answers.
Reply healthz(const Request& request);
// GET /readyz: it can serve truth, that is, its read models follow the ledger; else 503 with the reason.
Reply readyz(const Services& services, const Request& request);

}  // namespace pixledger::http
