#pragma once

#include <cstdint>
#include <optional>

#include "base/platform/time_zone.h"
#include "http/routing/input.h"

namespace pixledger::http {

// From one day to another, both inclusive, in a time zone.
struct AskedDays {
  std::int64_t first = 0;  // since 1970-01-01
  std::int64_t last = 0;
  TimeZone zone{};

  Timestamp begin() const { return zone.begin_of(first); }
  Timestamp end() const { return zone.begin_of(last + 1); }  // not of them any more
};

// The parameters `from`, `to` and `timezone`, which is the store's where there is none. Without `from` they
// begin so many days before the end, and without `to` they end today. Violations where they are not dates, in
// the wrong order or more than `days_max`.
struct DaysRule {
  std::int64_t days_default;
  std::int64_t days_max;
};
AskedDays read_days(Input& input, const TimeZone& store_zone, Timestamp now, const DaysRule& rule);

}  // namespace pixledger::http
