#pragma once

#include "base/http/message/request.h"
#include "projections/list/work_check.h"

namespace pixledger::http {

// What long reads of the views ask: throws WorkGivenUp when the request's time is over or its caller has
// gone. Lives no longer than the request.
inline projections::WorkCheck work_check(const Request& request) {
  return projections::WorkCheck([&budget = request.budget] { budget.check(); });
}

}  // namespace pixledger::http
