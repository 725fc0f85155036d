#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "projections/list/list_query.h"
#include "projections/list/list_version.h"
#include "projections/list/ordinal_bits.h"
#include "projections/list/row_filter.h"

namespace pixledger::projections {

// What a filter's customers, charges and search leave: either a list, or all that one of the others names.
struct ChargeSelection {
  // All, ascending, within the range asked for, each once: few enough to be looked at one by one.
  std::optional<std::vector<std::uint32_t>> listed;
  OrdinalBits charges;                    // Also some beyond the range.
  std::optional<std::uint32_t> customer;  // All charges of this one.
  OrdinalBits customers;                  // All charges of these.
};

// Those whose name or e-mail has the folded text in it.
Ordinals customers_with(const ListVersion& version, const std::string& folded, const WorkCheck& check);

// Customers with few charges have them named, by their chains; others are left to a pass over the column.
// Nothing when the filter has neither customers, nor charges, nor a search.
std::optional<ChargeSelection> select_charges(const ListVersion& version, const ListFilter& filter,
                                              OrdinalRange range);

}  // namespace pixledger::projections
