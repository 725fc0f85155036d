#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "base/platform/time_zone.h"
#include "domain/aggregates/charge.h"
#include "eventstore/log/log.h"

namespace pixledger::tools {

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

}  // namespace pixledger::tools
