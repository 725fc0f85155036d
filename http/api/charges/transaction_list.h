#pragma once

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/platform/json.h"
#include "domain/aggregates/project.h"
#include "http/api/common/personal_json.h"
#include "http/services/services.h"
#include "projections/views/list_reader.h"

namespace pixledger::http {

// GET /api/v1/transactions and GET /api/transactions: the same charges and filters; the items differ.
Reply list_transactions_v1(const Services& services, const Request& request);
Reply list_transactions(const Services& services, const Request& request);

// An item of the first, as an object.
void write_listed_transaction(Json& json, const domain::Project& project,
                              const projections::ListedTransaction& item, PersonalData personal);

}  // namespace pixledger::http
