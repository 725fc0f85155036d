#include "domain/values/given_time.h"

#include "domain/values/day.h"

namespace pixledger::domain {
namespace {}  // namespace

std::optional<GivenTime> GivenTime::parse(std::string_view text) {
  if (const auto midnight = parse_date(text)) return GivenTime(WholeDay{midnight->millis() / kDayMs});
  if (const auto moment = parse_iso8601(text)) return GivenTime(*moment);
  return std::nullopt;
}

std::optional<WholeDay> GivenTime::day() const {
  const auto* day = std::get_if<WholeDay>(&given_);
  return day ? std::optional(*day) : std::nullopt;
}

Timestamp GivenTime::first() const {
  const auto whole = day();
  return whole ? Timestamp(whole->number * kDayMs) : std::get<Timestamp>(given_);
}

Timestamp GivenTime::last() const {
  const auto whole = day();
  return whole ? Timestamp((whole->number + 1) * kDayMs - 1) : std::get<Timestamp>(given_);
}

}  // namespace pixledger::domain
