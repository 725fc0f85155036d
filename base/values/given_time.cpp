#include "base/values/given_time.h"

#include "base/values/day.h"

namespace pixledger {

std::optional<GivenTime> GivenTime::parse(std::string_view text) {
  if (const auto midnight = parse_date(text)) return GivenTime(WholeDay{midnight->millis() / kDayMs});
  if (const auto moment = parse_iso8601(text)) return GivenTime(*moment);
  return std::nullopt;
}

std::optional<WholeDay> GivenTime::day() const {
  const auto* day = std::get_if<WholeDay>(&given_);
  return day ? std::optional(*day) : std::nullopt;
}

std::optional<Timestamp> GivenTime::moment() const {
  const auto* moment = std::get_if<Timestamp>(&given_);
  return moment ? std::optional(*moment) : std::nullopt;
}

}  // namespace pixledger
