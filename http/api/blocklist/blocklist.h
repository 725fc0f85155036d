#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// GET /api/v1/blocklist: a page of the project's entries, the newest first.
Reply list_blocklist(const Services& services, const Request& request);

// POST /api/v1/blocklist {type, value, reason?}: 201 with the entry, 200 with the one that is there already.
Answer add_blocklist_entry(const Services& services, const Request& request);

// DELETE /api/v1/blocklist/:id: 200 with the entry as it was.
Answer remove_blocklist_entry(const Services& services, const Request& request);

}  // namespace pixledger::http
