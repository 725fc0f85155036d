#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stores/accounting/reconciliation.h"

namespace pixledger::stores {

// Which time is compared, and what of it the statement has.
struct ComparedPeriod {
  ReconcilePeriod period{};
  PeriodBy by = PeriodBy::kLedger;
  std::vector<StatementWindow> gaps{};  // of the period, between the statement's windows
  bool has_any_line = true;  // false: the statement has lines, or says of which days it is, and none is of it
};

// The days are those of the statement's lines; absent where it has none.
ComparedPeriod compared_period(const ReconcileQuestion& question, const Statement& statement,
                               std::optional<std::int64_t> first_day, std::optional<std::int64_t> last_day);

}  // namespace pixledger::stores
