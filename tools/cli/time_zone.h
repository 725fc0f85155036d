#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/values/timestamp.h"

namespace pixledger::tools {

// How a time zone's clocks go, read from the system's time zone database (TZif files, RFC 8536). Unlike the C
// library's it is a value: no environment variable, nothing shared.
class TimeZone {
 public:
  static constexpr std::string_view kRule =
      "must be UTC or the name of a time zone, such as America/Sao_Paulo";

  // UTC.
  TimeZone() = default;
  // "UTC" needs no database. nullopt when the database has no zone of that name.
  static std::optional<TimeZone> parse(std::string_view name);
  // nullopt when the bytes are no TZif file of version 2 or newer.
  static std::optional<TimeZone> from_tzif(std::string_view bytes);

  // How far local time is ahead of UTC.
  std::int64_t offset_s(domain::Timestamp moment) const;
  // Days from 1970-01-01 to the local date.
  std::int64_t day_of(domain::Timestamp moment) const;
  // "2026-01-31T09:00:00.000-03:00"; "…Z" where local time is UTC.
  std::string text_of(domain::Timestamp moment) const;

 private:
  struct Transition {
    std::int64_t at_s;      // since 1970-01-01 UTC
    std::int64_t offset_s;  // from then on
  };
  // The day of a year on which clocks change, and the local second of that day (POSIX.1-2017 8.3).
  struct Change {
    enum class Kind { kMonthWeekDay, kDayWithoutLeapDay, kDay } kind = Kind::kDay;
    std::array<int, 3> numbers{};
    std::int64_t second = 7200;
  };
  // What holds after the last transition.
  struct Rule {
    std::int64_t standard_s = 0;
    std::optional<std::int64_t> summer_s;
    Change to_summer;
    Change to_standard;
  };
  class RuleReader;

  static std::int64_t seconds_of(const Change& change, int year);
  std::int64_t offset_by_rule(std::int64_t moment_s) const;

  std::int64_t first_offset_s_ = 0;
  std::vector<Transition> transitions_;
  Rule rule_;
};

// "2026-01-31"
std::string date_text(std::int64_t days_since_1970);

}  // namespace pixledger::tools
