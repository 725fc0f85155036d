#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/platform/time_zone.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/channel.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

// Values of options that several commands share.
namespace pixledger::tools {

// "2026-01-31T12:00:00Z", "2026-01-31", or "2h": so long before now, 30 days at most.
inline constexpr std::string_view kTimeRule =
    "must be a time (2026-01-31T12:00:00Z), a date (2026-01-31), or 2h for so long ago";
std::optional<GivenTime> find_time(std::string_view text, Timestamp now);
// Throws UsageError.
GivenTime parse_time(std::string_view flag, std::string_view text, Timestamp now);

// The value of --timezone; nullopt if it is not given. Throws UsageError.
inline constexpr std::string_view kZoneHelp =
    "Whose days and hours they are, such as America/Sao_Paulo; the project's zone unless given, UTC without "
    "a "
    "project";
std::optional<TimeZone> parse_zone(const std::string& text);

// A file that the command line names. Throws UsageError when it cannot be read.
std::ifstream open_named_file(const std::string& path);

// Names of webhook events; none means all. Throws UsageError.
domain::WebhookEventSet parse_webhook_events(std::string_view flag, const std::vector<std::string>& names);

// Comma-separated names, also over several uses of the flag; both without any.
domain::EnvironmentSet parse_environments(std::string_view flag, const std::vector<std::string>& names);

// The values of --from and --to.
struct GivenPeriod {
  std::optional<GivenTime> from{};
  std::optional<GivenTime> to{};
};
// See parse_time. Throws UsageError.
GivenPeriod parse_period(const std::optional<std::string>& from, const std::optional<std::string>& to,
                         Timestamp now);

// From one moment or day to another, both inclusive; days are those of a time zone.
class Period {
 public:
  // Throws UsageError if it ends before it begins.
  Period(const GivenPeriod& given, TimeZone zone);

  bool contains(Timestamp moment) const;
  const TimeZone& zone() const { return zone_; }

  // All that was recorded within it lies after the first of these positions and up to the second, neither of
  // them beyond `head`.
  std::pair<Position, Position> positions(const eventstore::Log& log, Position head) const;
  // All that was recorded within it or after, or up to so much earlier, lies after this position.
  Position begin(const eventstore::Log& log, std::int64_t earlier_ms = 0) const;

 private:
  TimeZone zone_;
  std::optional<Timestamp> from_;
  std::optional<Timestamp> to_;
};

// Up to where the log counts.
struct AsOf {
  Position position;
  std::optional<Timestamp> time;  // when the event there was recorded; absent before the first event
};

// The value of --as-of: a position or what parse_time takes, of a date its end in the time zone; absent, the
// log's head. Throws UsageError, also for what has not begun at `now`: it would not stay as it is. nullopt
// when the log has no such position yet.
std::optional<AsOf> find_as_of(const eventstore::Log& log, const std::optional<std::string>& text,
                               const TimeZone& zone, Timestamp now);

}  // namespace pixledger::tools
