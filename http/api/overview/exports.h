#pragma once

#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET of a table of a project, as CSV or as lines of JSON: what `pixledger export` writes, of what this
// project may see. Made while it is read.
Answer export_table(const Services& services, const Request& request);

}  // namespace pixledger::http
