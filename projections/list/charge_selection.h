#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "projections/list/list_query.h"
#include "projections/list/list_version.h"
#include "projections/list/row_filter.h"

namespace pixledger::projections {

/// What a filter's customers and search leave: the charges named one by one and those of the customers named.
struct ChargeSelection {
  std::vector<std::uint32_t> charges;     ///< Ascending, within the range asked for, each once.
  std::optional<std::uint32_t> customer;  ///< All charges of this one besides.
  std::vector<std::uint8_t> customers;    ///< Besides: a 1 at the ordinal of each; empty: none.

  /// Whether `charges` are all.
  bool is_listed() const { return !customer && customers.empty(); }
};

/// Customers with few charges have them listed, by their chains; others are left to a pass over the column.
/// Nothing when the filter has neither customers nor a search.
std::optional<ChargeSelection> select_charges(const ListVersion& version, const ListFilter& filter,
                                              OrdinalRange range);

}  // namespace pixledger::projections
