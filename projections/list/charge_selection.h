#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "projections/list/list_query.h"
#include "projections/list/list_version.h"
#include "projections/list/row_filter.h"

namespace pixledger::projections {

// A bit for each ordinal: bit i % 64 of word i / 64. Empty when none is set.
using OrdinalBits = std::vector<std::uint64_t>;

// What a filter's customers, charges and search leave: either a list, or all that one of the others names.
struct ChargeSelection {
  // All, ascending, within the range asked for, each once: few enough to be looked at one by one.
  std::optional<std::vector<std::uint32_t>> listed;
  OrdinalBits charges;                    // Also some beyond the range.
  std::optional<std::uint32_t> customer;  // All charges of this one.
  OrdinalBits customers;                  // All charges of these.
};

// Customers with few charges have them named, by their chains; others are left to a pass over the column.
// Nothing when the filter has neither customers, nor charges, nor a search.
std::optional<ChargeSelection> select_charges(const ListVersion& version, const ListFilter& filter,
                                              OrdinalRange range);

}  // namespace pixledger::projections
