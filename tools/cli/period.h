#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "domain/aggregates/event.h"
#include "domain/values/given_time.h"
#include "eventstore/log/log.h"
#include "eventstore/platform/time_zone.h"

namespace pixledger::tools {

// The values of --from and --to.
struct GivenPeriod {
  std::optional<domain::GivenTime> from{};
  std::optional<domain::GivenTime> to{};
};
// See parse_time. Throws UsageError.
GivenPeriod parse_period(const std::optional<std::string>& from, const std::optional<std::string>& to,
                         domain::Timestamp now);

// From one moment or day to another, both inclusive; days are those of a time zone.
class Period {
 public:
  // Throws UsageError if it ends before it begins.
  Period(const GivenPeriod& given, eventstore::TimeZone zone);

  bool contains(domain::Timestamp moment) const;
  const eventstore::TimeZone& zone() const { return zone_; }

  // All that was recorded within it lies after the first of these positions and up to the second, neither of
  // them beyond `head`.
  std::pair<domain::Position, domain::Position> positions(const eventstore::Log& log,
                                                          domain::Position head) const;
  // All that was recorded within it or after, or up to so much earlier, lies after this position.
  domain::Position begin(const eventstore::Log& log, std::int64_t earlier_ms = 0) const;

 private:
  eventstore::TimeZone zone_;
  std::optional<domain::Timestamp> from_;
  std::optional<domain::Timestamp> to_;
};

// Up to where the log counts.
struct AsOf {
  domain::Position position;
  std::optional<domain::Timestamp> time;  // when the event there was recorded; absent before the first event
};

// The value of --as-of: a position or what parse_time takes, of a date its end in the time zone; absent, the
// log's head. Throws UsageError, also for what has not begun at `now`: it would not stay as it is. nullopt
// when the log has no such position yet.
std::optional<AsOf> find_as_of(const eventstore::Log& log, const std::optional<std::string>& text,
                               const eventstore::TimeZone& zone, domain::Timestamp now);

}  // namespace pixledger::tools
