#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "eventstore/platform/time_zone.h"

namespace pixledger::tools {

// From one moment or day to another, both inclusive; days are those of a time zone.
class Period {
 public:
  // The values of --from and --to, see parse_time: a date is the whole day. Throws UsageError, also when it
  // would end before it begins.
  Period(const std::optional<std::string>& from, const std::optional<std::string>& to,
         eventstore::TimeZone zone, domain::Timestamp now);

  bool contains(domain::Timestamp moment) const;
  const eventstore::TimeZone& zone() const { return zone_; }

  // All that was recorded within it lies after the first of these positions and up to the second, neither of
  // them beyond `head`.
  std::pair<domain::Position, domain::Position> positions(const eventstore::Log& log,
                                                          domain::Position head) const;
  // All that was recorded within it or after, or up to so much earlier, lies after this position.
  domain::Position begin(const eventstore::Log& log, std::int64_t earlier_ms = 0) const;

 private:
  struct Day {
    std::int64_t number;  // since 1970-01-01
  };
  using Bound = std::variant<Day, domain::Timestamp>;
  static std::optional<Bound> parse(std::string_view flag, const std::optional<std::string>& text,
                                    domain::Timestamp now);
  bool ends_before_it_begins() const;
  std::int64_t day_of(const Bound& bound) const;

  eventstore::TimeZone zone_;
  std::optional<Bound> from_;
  std::optional<Bound> to_;
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
