#pragma once

#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// POST of a bank's statement, which is compared with what the ledger has of the project, as `pixledger
// reconcile` does: read at once, compared a little at a time, and kept nowhere.
Answer reconcile(const Services& services, const Request& request);

}  // namespace pixledger::http
