#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET of what a project's charges came to, day by day and in all. Reads sums that the read models keep: at
// most 35,136 rows for a year, however many charges there were.
Reply get_stats(const Services& services, const Request& request);

}  // namespace pixledger::http
