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

// How a time zone's clocks go, by the system's time zone database. Unlike the C library's it is a value: no
// environment variable. Changes of clocks are known up to 2037, where the files of the database end; from
// then on a zone keeps the offset that it has.
class TimeZone {
 public:
  static constexpr std::string_view kRule =
      "must be UTC or the name of a time zone, such as America/Sao_Paulo";

  // UTC.
  TimeZone() = default;
  // "UTC" needs no database. nullopt when the database has no zone of that name, or there is none.
  static std::optional<TimeZone> parse(std::string_view name);

  // "UTC", or the name in the time zone database. For an alias that is the name it links to.
  std::string_view name() const;
  // How far local time is ahead of UTC.
  std::int64_t offset_s(Timestamp moment) const;
  // Days from 1970-01-01 to the local date. Never decreases from one moment to a later one: an hour that the
  // clocks repeat across midnight belongs to the day that has begun.
  std::int64_t day_of(Timestamp moment) const;
  // Converts a local date and time, given as if they were UTC, to a moment. If the clocks skip that time,
  // returns the end of the gap; if they show it twice, the first moment.
  Timestamp moment_of(Timestamp local) const;
  // The first moment of a day: midnight, or the end of the gap where the clocks skip it. A day has 23 or 25
  // hours where they change, and none where they skip it whole.
  Timestamp begin_of(std::int64_t day) const;
  // A moment as it was given; of a date its first or last millisecond. Within the times that have a text.
  Timestamp first_of(const GivenTime& given) const;
  Timestamp last_of(const GivenTime& given) const;
  // "2026-01-31T09:00:00.000-03:00"; "…Z" where local time is UTC.
  std::string text_of(Timestamp moment) const;

 private:
  explicit TimeZone(const date::time_zone* zone) : zone_(zone) {}

  const date::time_zone* zone_ = nullptr;  // of the database, which stays; null: UTC
};

// "2026-01-31"
std::string date_text(std::int64_t days_since_1970);

}  // namespace pixledger
