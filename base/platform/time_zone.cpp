#include "base/platform/time_zone.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <date/tz.h>
#include <stdexcept>

#include "base/values/civil_date.h"

namespace pixledger {
namespace {

constexpr std::int64_t kDayS = 24 * 60 * 60;

std::int64_t floor_div(std::int64_t value, std::int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

}  // namespace

std::optional<TimeZone> TimeZone::parse(std::string_view name) {
  if (name == "UTC") return TimeZone();
  try {
    return TimeZone(date::locate_zone(name));
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

std::int64_t TimeZone::offset_s(Timestamp moment) const {
  if (!zone_) return 0;
  return zone_
      ->get_info(date::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(moment.millis())))
      .offset.count();
}

std::string_view TimeZone::name() const { return zone_ ? std::string_view(zone_->name()) : "UTC"; }

std::int64_t TimeZone::day_of(Timestamp moment) const {
  const auto day = floor_div(floor_div(moment.millis(), 1000) + offset_s(moment), kDayS);
  return zone_ && moment >= begin_of(day + 1) ? day + 1 : day;
}

Timestamp TimeZone::begin_of(std::int64_t day) const { return moment_of(Timestamp(day * kDayS * 1000)); }

Timestamp TimeZone::first_of(const GivenTime& given) const {
  if (const auto day = given.day()) return std::clamp(begin_of(day->number), Timestamp(), kLastTimestamp);
  return *given.moment();
}

Timestamp TimeZone::last_of(const GivenTime& given) const {
  if (const auto day = given.day())
    return std::clamp(begin_of(day->number + 1).plus_millis(-1), Timestamp(), kLastTimestamp);
  return *given.moment();
}

Timestamp TimeZone::moment_of(Timestamp local) const {
  if (!zone_) return local;
  const date::local_time<std::chrono::milliseconds> shown(std::chrono::milliseconds(local.millis()));
  const auto found = zone_->get_info(std::chrono::time_point_cast<std::chrono::seconds>(shown));
  if (found.result == date::local_info::nonexistent)
    return Timestamp(std::chrono::milliseconds(found.first.end.time_since_epoch()).count());
  return local.plus_millis(-found.first.offset.count() * 1000);
}

std::string TimeZone::text_of(Timestamp moment) const {
  const auto offset = offset_s(moment);
  auto text = to_iso8601(moment.plus_millis(offset * 1000));
  if (offset == 0) return text;
  // RFC 3339 offsets have no seconds; today's zones need none.
  const auto minutes = static_cast<int>(std::abs(offset) / 60);
  char suffix[16];
  std::snprintf(suffix, sizeof suffix, "%c%02d:%02d", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
  text.pop_back();
  return text + suffix;
}

std::string date_text(std::int64_t days_since_1970) {
  const auto date = civil_from_days(days_since_1970);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", date.year, date.month, date.day);
  return text;
}

}  // namespace pixledger
