#pragma once

#include "base/values/civil_date.h"
#include "base/values/timestamp.h"

namespace pixledger::workers {

// A moment as clocks in São Paulo and Brasília show it: UTC−3 all year. Summer time ended in 2019 (Decreto
// 9.772/2019), before there was Pix; a new decree would have to be taken up here.
struct BrasiliaTime {
  CivilDate date;
  unsigned hour;
  unsigned minute;
  unsigned second;
  unsigned weekday;  // 0: Sunday
};

// `moment` is not before 1970-01-01T03:00:00Z.
constexpr BrasiliaTime brasilia_time(Timestamp moment) {
  constexpr std::int64_t kOffsetSeconds = -3 * 3600;
  constexpr std::int64_t kDaySeconds = 24 * 3600;
  const std::int64_t local = moment.millis() / 1000 + kOffsetSeconds;
  const std::int64_t days = local / kDaySeconds;
  const auto of_day = static_cast<unsigned>(local % kDaySeconds);
  constexpr std::int64_t kEpochWeekday = 4;  // 1970-01-01 was a Thursday
  return {civil_from_days(days), of_day / 3600, of_day / 60 % 60, of_day % 60,
          static_cast<unsigned>((days + kEpochWeekday) % 7)};
}

}  // namespace pixledger::workers
