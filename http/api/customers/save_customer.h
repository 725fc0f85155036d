#pragma once

#include "base/http/message/request.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// POST of a customer, in both path groups: 201 when the document is new in the project, else 200 with the
// customer as it is from now on.
Answer save_customer(const Services& services, const Request& request);

}  // namespace pixledger::http
