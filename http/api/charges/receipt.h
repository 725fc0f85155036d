#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET of a charge's events with the proof that the ledger holds them, under a signed checkpoint. From the
// ledger itself, as of now; an overdue charge is not expired by it.
Reply get_receipt(const Services& services, const Request& request);

}  // namespace pixledger::http
