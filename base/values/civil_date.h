#pragma once

#include <cstdint>

namespace pixledger {

// UTC has no leap seconds in Unix time.
inline constexpr std::int64_t kMinuteMs = 60'000;
inline constexpr std::int64_t kHourMs = 60 * kMinuteMs;
inline constexpr std::int64_t kDayMs = 24 * kHourMs;

// English names for protocols and pages; January and Sunday come first.
inline constexpr const char* kShortMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
inline constexpr const char* kShortWeekdays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

// The proleptic Gregorian calendar as day numbers, independent of time zones and the C library.

struct CivilDate {
  int year;
  unsigned month;  // 1 to 12
  unsigned day;    // 1 to 31

  friend constexpr bool operator==(const CivilDate&, const CivilDate&) = default;
};

constexpr bool is_leap_year(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

// `month` must be 1 to 12.
constexpr unsigned days_in_month(int year, unsigned month) {
  constexpr unsigned kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap_year(year) ? 29 : kDays[month - 1];
}

// Whether the date exists, in the years 1970 to 9999.
constexpr bool is_real_date(const CivilDate& date) {
  return date.year >= 1970 && date.year <= 9999 && date.month >= 1 && date.month <= 12 && date.day >= 1 &&
         date.day <= days_in_month(date.year, date.month);
}

// Days since 1970-01-01 of a real date.
//
// Counts years from 1 March, so that the leap day is the last of its year and the days before a month
// are a linear function of it.
constexpr std::int64_t days_from_civil(const CivilDate& date) {
  const std::int64_t year = date.month > 2 ? date.year : date.year - 1;
  const std::int64_t months_since_march = (static_cast<std::int64_t>(date.month) + 9) % 12;
  const std::int64_t day_of_year =
      (153 * months_since_march + 2) / 5 + static_cast<std::int64_t>(date.day) - 1;
  constexpr std::int64_t kDaysFromYearZeroToEpoch = 719468;
  return 365 * year + year / 4 - year / 100 + year / 400 + day_of_year - kDaysFromYearZeroToEpoch;
}

// The date of a non-negative day number. Inverse of days_from_civil.
constexpr CivilDate civil_from_days(std::int64_t days_since_epoch) {
  constexpr std::int64_t kDaysFromYearZeroToEpoch = 719468;
  constexpr std::int64_t kDaysPerEra = 146097;  // 400 years
  const std::int64_t days = days_since_epoch + kDaysFromYearZeroToEpoch;
  const std::int64_t era = days / kDaysPerEra;
  const std::int64_t day_of_era = days % kDaysPerEra;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / (kDaysPerEra - 1)) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t months_since_march = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * months_since_march + 2) / 5 + 1;
  const std::int64_t month = months_since_march < 10 ? months_since_march + 3 : months_since_march - 9;
  const std::int64_t year = 400 * era + year_of_era + (month <= 2 ? 1 : 0);
  return {static_cast<int>(year), static_cast<unsigned>(month), static_cast<unsigned>(day)};
}

}  // namespace pixledger
