#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/values/timestamp.h"

namespace date {
class time_zone;
}

namespace pixledger {

// A time zone's offsets, from the system's time zone database. A value, unlike the C library's TZ variable.
// Transitions are known until 2037, where the database files end; after that the offset stays constant.
class TimeZone {
 public:
  static constexpr std::string_view kRule =
      "must be UTC or the name of a time zone, such as America/Sao_Paulo";

  // UTC.
  TimeZone() = default;
  // "UTC" needs no database. nullopt if the zone or the database is missing.
  static std::optional<TimeZone> parse(std::string_view name);

  // "UTC", or the name in the time zone database. For an alias, the name that it links to.
  std::string_view name() const;
  // The local offset from UTC.
  std::int64_t offset_s(Timestamp moment) const;
  // Days from 1970-01-01 to the local date. Never decreases over time: an hour repeated across midnight
  // belongs to the new day.
  std::int64_t day_of(Timestamp moment) const;
  // Converts a local date and time, given as if in UTC, to a moment. For a skipped local time returns the end
  // of the gap; for a repeated one, the first moment.
  Timestamp moment_of(Timestamp local) const;
  // The first moment of a day: midnight, or the end of the gap if midnight is skipped. A day with a
  // transition has 23 or 25 hours, and a skipped day has 0.
  Timestamp begin_of(std::int64_t day) const;
  // A given moment itself; for a date its first or last millisecond. Clamped to times with a text form.
  Timestamp first_of(const GivenTime& given) const;
  Timestamp last_of(const GivenTime& given) const;
  // "2026-01-31T09:00:00.000-03:00"; "…Z" if the offset is zero.
  std::string text_of(Timestamp moment) const;

 private:
  explicit TimeZone(const date::time_zone* zone) : zone_(zone) {}

  const date::time_zone* zone_ = nullptr;  // owned by the database, which lives on; null: UTC
};

// "2026-01-31"
std::string date_text(std::int64_t days_since_1970);

}  // namespace pixledger
