#pragma once

#include <optional>

#include "projections/list/list_query.h"
#include "projections/list/list_version.h"
#include "projections/list/ordinal_bits.h"

namespace pixledger::projections {

// What a filter leaves but for the time of creation, a bit for each customer. Nothing when it restricts no
// more than that.
std::optional<OrdinalBits> select_customers(const ListVersion& version, const CustomerFilter& filter);

}  // namespace pixledger::projections
