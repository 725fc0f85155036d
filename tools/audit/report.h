#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "domain/aggregates/charge.h"
#include "eventstore/log/log.h"
#include "tools/cli/period.h"

namespace pixledger::tools {

struct ReportSums {
  std::uint64_t count = 0;
  domain::Cents amount;  // of the charges
  domain::Cents paid;    // what was paid for them, refunds not taken off
  domain::Cents refunded;
};

// Charges by the day of their creation, environment and status, and the same over all days.
struct Report {
  using Kind = std::pair<domain::Environment, domain::ChargeStatus>;
  std::map<std::pair<std::int64_t, Kind>, ReportSums> rows;  // the day since 1970-01-01
  std::map<Kind, ReportSums> totals;
};

// From events alone, as of a position: of one project or of all, the charges that were created in the period.
// Memory grows with the days, not with the charges.
Report make_report(const eventstore::Log& log, const std::optional<domain::ProjectId>& project,
                   const Period& period, domain::Position as_of);

}  // namespace pixledger::tools
