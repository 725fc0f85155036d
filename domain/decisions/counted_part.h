#pragma once

#include <algorithm>
#include <vector>

#include "domain/aggregates/refund.h"

namespace pixledger::domain {

// Whether a return is among those that have counted: by its devolução's id, or by the name that the payments
// system gives to it, as banks may show one under two ids.
inline bool has_counted(const std::vector<ReversedPart>& parts, const RefundId& id, const ReturnId& name) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const ReversedPart& part) { return part.id == id || part.return_id == name; });
}

}  // namespace pixledger::domain
