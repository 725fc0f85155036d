#include "http/api/overview/asked_days.h"

#include <algorithm>

#include "domain/values/day.h"
#include "domain/values/given_time.h"
#include "projections/views/charge_sums.h"

namespace pixledger::http {
namespace {

using eventstore::TimeZone;

std::optional<std::int64_t> read_day(Input& input, std::string_view name) {
  const auto text = input.parameter(name);
  if (!text) return std::nullopt;
  const auto given = domain::GivenTime::parse(*text);
  const auto day = given ? given->day() : std::nullopt;
  if (!day) input.violations().push_back({std::string(name), "must be a date (2026-01-31)"});
  return day ? std::optional(day->number) : std::nullopt;
}

TimeZone read_zone(Input& input, std::string_view store_zone) {
  const auto text = input.parameter("timezone");
  const auto zone = TimeZone::parse(text ? std::string_view(*text) : store_zone);
  if (text && !zone) input.violations().push_back({"timezone", std::string(TimeZone::kRule)});
  return zone.value_or(TimeZone());
}

}  // namespace

domain::Timestamp AskedDays::begin_of(std::int64_t day) const {
  // No zone is ever further from UTC than 26 hours.
  constexpr std::int64_t kQuartersOfDay = domain::kDayMs / projections::kQuarterMs;
  constexpr std::int64_t kFurthest = 26 * 4;
  auto before = day * kQuartersOfDay - kFurthest - 1;
  auto from = day * kQuartersOfDay + kFurthest;
  while (before + 1 < from) {
    const auto middle = before + (from - before) / 2;
    (zone.day_of(domain::Timestamp(middle * projections::kQuarterMs)) < day ? before : from) = middle;
  }
  return domain::Timestamp(from * projections::kQuarterMs);
}

AskedDays read_days(Input& input, std::string_view store_zone, domain::Timestamp now, const DaysRule& rule) {
  AskedDays days{.zone = read_zone(input, store_zone)};
  const auto from = read_day(input, "from");
  const auto to = read_day(input, "to");
  days.last = to.value_or(days.zone.day_of(now));
  days.first = from.value_or(std::max<std::int64_t>(days.last - rule.days_default + 1, 0));
  if (days.first > days.last)
    input.violations().push_back({"from", "must not be after to"});
  else if (days.last - days.first >= rule.days_max)
    input.violations().push_back(
        {"from", "must leave no more than " + std::to_string(rule.days_max) + " days up to the end of to"});
  return days;
}

}  // namespace pixledger::http
