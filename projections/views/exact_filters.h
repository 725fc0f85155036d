#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "projections/views/charge_query.h"
#include "projections/views/view_database.h"

namespace pixledger::projections {

// What a query's exact filters (external id, payment, unapplied, metadata) leave, for the other filters to
// meet.
struct ExactMatches {
  std::optional<std::vector<std::uint32_t>> charges;  // ordinals; absent: the query has no such filter
  std::string_view too_wide;  // the filter that would have to look at too much; else empty
};
// Each filter looks at `rows_max` rows at most, of the time that the query names. Throws ViewsDamaged.
ExactMatches find_exact(const ChargeQuery& query, const ViewDatabase::Snapshot& snapshot,
                        const ViewTables& tables, const domain::ProjectId& project, std::size_t rows_max,
                        const WorkCheck& check);

// The project's charge of that id.
struct NamedCharge {
  domain::Charge charge;
  std::uint32_t ordinal;
};
std::optional<NamedCharge> charge_named(const domain::ChargeId& id, const ViewDatabase::Snapshot& snapshot,
                                        const ViewTables& tables, const domain::ProjectId& project);

}  // namespace pixledger::projections
