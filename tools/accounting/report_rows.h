#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/platform/time_zone.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/project.h"
#include "eventstore/log/log.h"
#include "stores/exports/table.h"
#include "tools/cli/option_values.h"

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

// A month of the calendar: "2026-10".
struct Month {
  static constexpr std::string_view kRule = "must be a month (2026-10)";
  static std::optional<Month> parse(std::string_view text);

  // Since 1970-01-01.
  std::int64_t first_day() const;
  std::int64_t last_day() const;

  int year;
  unsigned number;  // 1 to 12
};

// Sums of money that moved. `in` includes payments that paid no charge.
struct MoneyMoved {
  domain::Cents in{};
  domain::Cents fees{};      // of payments that paid a charge
  domain::Cents refunds{};   // that are done, and what banks took back of payments
  domain::Cents returned{};  // of what paid no charge

  domain::Cents balance() const;
  MoneyMoved& operator+=(const MoneyMoved& other);
};

// The statement of a month: the opening balance of each connection, the movements of each day, and the
// closing balance. A payment counts on the bank's day of payment, and its fee with it. A refund or return
// counts on the bank's day, or on the day of its record if the bank gives none. The fee of a payment that was
// accepted later counts on the day of acceptance, so that a month that is over does not change.
struct MoneyStatement {
  struct Account {
    domain::Environment environment;
    domain::ConnectionId connection;
    friend auto operator<=>(const Account&, const Account&) = default;
  };
  struct Movements {
    domain::Cents opening{};
    std::map<std::int64_t, MoneyMoved> days{};  // on which something moved

    MoneyMoved total() const;
    domain::Cents closing() const;
  };
  std::map<Account, Movements> accounts;
};

// Computed from events alone, as of a position, for one project or for all. Memory grows with the days, the
// connections and the payments that paid no charge.
MoneyStatement make_statement(const eventstore::Log& log, const std::optional<domain::ProjectId>& project,
                              const Month& month, const TimeZone& zone, Position as_of);

// What connections are called. Nothing of what the ledger does not have any more.
using ConnectionNames = std::map<domain::ConnectionId, std::string>;
ConnectionNames connection_names(const std::vector<domain::Project>& projects);

using AddRow = std::function<void(const stores::Cells& row)>;

// Of report_table(): charges first, then what is to be settled.
void each_row(const Report& report, const ConnectionNames& names, const AddRow& add);

// Of statement_table(): by account, and within by day. An account where nothing moved has its first day.
void each_row(const MoneyStatement& statement, const Month& month, const ConnectionNames& names,
              const AddRow& add);
// The same of whole accounts, without a day.
void each_total(const MoneyStatement& statement, const ConnectionNames& names, const AddRow& add);

}  // namespace pixledger::tools
