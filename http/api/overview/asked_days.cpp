#include "http/api/overview/asked_days.h"

#include <algorithm>

#include "base/values/given_time.h"

namespace pixledger::http {
namespace {

std::optional<std::int64_t> read_day(Input& input, std::string_view name) {
  const auto text = input.parameter(name);
  if (!text) return std::nullopt;
  const auto given = GivenTime::parse(*text);
  const auto day = given ? given->day() : std::nullopt;
  if (!day) input.violations().push_back({std::string(name), "must be a date (2026-01-31)"});
  return day ? std::optional(day->number) : std::nullopt;
}

TimeZone read_zone(Input& input, const TimeZone& store_zone) {
  const auto text = input.parameter("timezone");
  if (!text) return store_zone;
  const auto zone = TimeZone::parse(*text);
  if (!zone) input.violations().push_back({"timezone", std::string(TimeZone::kRule)});
  return zone.value_or(store_zone);
}

}  // namespace

AskedDays read_days(Input& input, const TimeZone& store_zone, Timestamp now, const DaysRule& rule) {
  AskedDays days{.zone = read_zone(input, store_zone)};
  const auto from = read_day(input, "from");
  const auto to = read_day(input, "to");
  days.last = to.value_or(days.zone.day_of(now));
  days.first = from.value_or(std::max<std::int64_t>(days.last - rule.days_default + 1, 0));
  if (days.first > days.last)
    input.violations().push_back(
        {"from", to ? "must not be after to"
                    : "must not be after to, which is today unless it is given: " + date_text(days.last)});
  else if (days.last - days.first >= rule.days_max)
    input.violations().push_back(
        {"from", "must leave no more than " + std::to_string(rule.days_max) + " days up to the end of to"});
  return days;
}

}  // namespace pixledger::http
