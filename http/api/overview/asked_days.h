#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "eventstore/platform/time_zone.h"
#include "http/routing/input.h"

namespace pixledger::http {

// From one day to another, both inclusive, in a time zone.
struct AskedDays {
  std::int64_t first = 0;  // since 1970-01-01
  std::int64_t last = 0;
  eventstore::TimeZone zone{};

  // The first moment of a day, on a grid of quarters of an hour: no zone's days begin elsewhere.
  domain::Timestamp begin_of(std::int64_t day) const;
  domain::Timestamp begin() const { return begin_of(first); }
  domain::Timestamp end() const { return begin_of(last + 1); }  // not of them any more
};

// The parameters `from`, `to` and `timezone`, which is the store's where there is none. Without `from` they
// begin so many days before the end, and without `to` they end today. Violations where they are not dates, in
// the wrong order or more than `days_max`.
struct DaysRule {
  std::int64_t days_default;
  std::int64_t days_max;
};
AskedDays read_days(Input& input, std::string_view store_zone, domain::Timestamp now, const DaysRule& rule);

}  // namespace pixledger::http
