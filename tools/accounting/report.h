#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "domain/aggregates/charge.h"
#include "eventstore/log/log.h"
#include "tools/cli/period.h"

namespace pixledger::tools {

// Whose day a charge counts on, and is asked for by.
enum class ReportBy {
  kCreated,   // its creation's
  kPaid,      // when it was paid, as the payment says; charges that were not are left out
  kRefunded,  // each refund's, when it was recorded
};
std::optional<ReportBy> parse_report_by(std::string_view name);

struct ReportSums {
  std::uint64_t count = 0;  // of charges
  domain::Cents amount;     // of the charges
  domain::Cents paid;       // what was paid for them, refunds not taken off
  domain::Cents fees;       // of those payments
  domain::Cents refunded;   // by day of refund, what was refunded on that day; else in all
};

// Charges by day, environment, status and connection, and the same over all days. By refunds, a charge is
// counted once a day on which something of it was refunded, and once in the totals.
struct Report {
  using Kind = std::pair<domain::Environment, domain::ChargeStatus>;
  struct Part {
    Kind kind;
    domain::ConnectionId connection;
    friend auto operator<=>(const Part&, const Part&) = default;
  };
  std::map<std::pair<std::int64_t, Part>, ReportSums> rows;  // the day since 1970-01-01
  std::map<Part, ReportSums> totals;

  // Payments of the period, by day of payment, that are not settled.
  enum class Aside { kUnapplied, kUnmatched };  // kept aside at a charge / fits none
  struct AsideOf {
    std::int64_t day;
    domain::Environment environment;
    domain::ConnectionId connection;
    Aside aside;
    friend auto operator<=>(const AsideOf&, const AsideOf&) = default;
  };
  struct AsideSums {
    std::uint64_t count = 0;  // of payments
    domain::Cents amount;
  };
  std::map<AsideOf, AsideSums> aside{};
};

std::string_view to_string(Report::Aside aside);  // "unapplied", "unmatched"

// From events alone, as of a position: of one project or of all, what is in the period. Memory grows with the
// days and connections, not with the charges.
Report make_report(const eventstore::Log& log, const std::optional<domain::ProjectId>& project,
                   const Period& period, Position as_of, ReportBy by = ReportBy::kCreated);

}  // namespace pixledger::tools
