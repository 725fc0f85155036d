#pragma once

#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET /api/v1/payer/changes: server-sent events of all sessions of all projects, from now on, for as long as
// the caller reads: `event: session`, its id, version and state as they are when it is told. What a reader
// that was slow or away has missed it reads anew. A comment every 15 s.
Answer stream_payer_changes(const Services& services, const Request& request);

}  // namespace pixledger::http
