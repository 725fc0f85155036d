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

// The day on which a charge counts and is selected.
enum class ReportBy {
  kCreated,   // day of creation
  kPaid,      // day of payment, by the payment's own time; unpaid charges are excluded
  kRefunded,  // day of each refund's record
};
std::optional<ReportBy> parse_report_by(std::string_view name);

struct ReportSums {
  std::uint64_t count = 0;  // of charges
  domain::Cents amount;     // of the charges
  domain::Cents paid;       // payments for them, before refunds
  domain::Cents fees;       // of these payments
  domain::Cents refunded;   // by refund: refunded on that day; otherwise in all
};

// Charges by day, environment, status and connection, and the totals over all days. By refund, a charge
// counts once for each day with a refund of it, and once in the totals.
struct Report {
  using Kind = std::pair<domain::Environment, domain::ChargeStatus>;
  struct Part {
    Kind kind;
    domain::ConnectionId connection;
    friend auto operator<=>(const Part&, const Part&) = default;
  };
  std::map<std::pair<std::int64_t, Part>, ReportSums> rows;  // the day since 1970-01-01
  std::map<Part, ReportSums> totals;

  // Payments of the period that are not settled, by day of payment.
  enum class Aside { kUnapplied, kUnmatched };  // set aside at a charge / matches no charge
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

// Computed from events alone, as of a position, for one project or all, within the period. Memory grows with
// days and connections, not with charges.
Report make_report(const eventstore::Log& log, const std::optional<domain::ProjectId>& project,
                   const Period& period, Position as_of, ReportBy by = ReportBy::kCreated);

// A calendar month: "2026-10".
struct Month {
  static constexpr std::string_view kRule = "must be a month (2026-10)";
  static std::optional<Month> parse(std::string_view text);

  // Since 1970-01-01.
  std::int64_t first_day() const;
  std::int64_t last_day() const;

  int year;
  unsigned number;  // 1 to 12
};

// Sums of transferred money. `in` includes payments that paid no charge.
struct MoneyMoved {
  domain::Cents in{};
  domain::Cents fees{};      // of payments that paid a charge
  domain::Cents refunds{};   // completed refunds, and payments taken back by banks
  domain::Cents returned{};  // returned payments that paid no charge

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
    std::map<std::int64_t, MoneyMoved> days{};  // days with movements

    MoneyMoved total() const;
    domain::Cents closing() const;
  };
  std::map<Account, Movements> accounts;
};

// Computed from events alone, as of a position, for one project or for all. Memory grows with the days, the
// connections and the payments that paid no charge.
MoneyStatement make_statement(const eventstore::Log& log, const std::optional<domain::ProjectId>& project,
                              const Month& month, const TimeZone& zone, Position as_of);

// Display names of connections that the ledger still has.
using ConnectionNames = std::map<domain::ConnectionId, std::string>;
ConnectionNames connection_names(const std::vector<domain::Project>& projects);

using AddRow = std::function<void(const stores::Cells& row)>;

// For report_table(): charges first, then payments to settle.
void each_row(const Report& report, const ConnectionNames& names, const AddRow& add);

// For statement_table(): by account, then by day. An account without movements has a row for the first day.
void each_row(const MoneyStatement& statement, const Month& month, const ConnectionNames& names,
              const AddRow& add);
// The same for whole accounts, without days.
void each_total(const MoneyStatement& statement, const ConnectionNames& names, const AddRow& add);

}  // namespace pixledger::tools
