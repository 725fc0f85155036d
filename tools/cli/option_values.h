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

// Option values that several commands share.
namespace pixledger::tools {

// "2026-01-31T12:00:00Z", "2026-01-31", or "2h": that long before now, at most 30 days.
inline constexpr std::string_view kTimeRule =
    "must be a time (2026-01-31T12:00:00Z), a date (2026-01-31), or 2h for so long ago";
std::optional<GivenTime> find_time(std::string_view text, Timestamp now);
// Throws UsageError.
GivenTime parse_time(std::string_view flag, std::string_view text, Timestamp now);

// Parses --timezone; nullopt if absent. Throws UsageError.
inline constexpr std::string_view kZoneHelp =
    "Whose days and hours they are, such as America/Sao_Paulo; the project's zone unless given, UTC without "
    "a "
    "project";
std::optional<TimeZone> parse_zone(const std::string& text);

// Opens a file named on the command line. Throws UsageError if it cannot be read.
std::ifstream open_named_file(const std::string& path);

// Parses names of webhook events; an empty list means all. Throws UsageError.
domain::WebhookEventSet parse_webhook_events(std::string_view flag, const std::vector<std::string>& names);

// Parses comma-separated names, from one or more flags; an empty list means both.
domain::EnvironmentSet parse_environments(std::string_view flag, const std::vector<std::string>& names);

// The values of --from and --to.
struct GivenPeriod {
  std::optional<GivenTime> from{};
  std::optional<GivenTime> to{};
};
// See parse_time. Throws UsageError.
GivenPeriod parse_period(const std::optional<std::string>& from, const std::optional<std::string>& to,
                         Timestamp now);

// A range of times or days, both inclusive; days are of a time zone.
class Period {
 public:
  // Throws UsageError if it ends before it begins.
  Period(const GivenPeriod& given, TimeZone zone);

  bool contains(Timestamp moment) const;
  const TimeZone& zone() const { return zone_; }

  // Events recorded within it are after the first position and up to the second; neither is beyond `head`.
  std::pair<Position, Position> positions(const eventstore::Log& log, Position head) const;
  // Events recorded within it or later, or up to `earlier_ms` before it, are after this position.
  Position begin(const eventstore::Log& log, std::int64_t earlier_ms = 0) const;

 private:
  TimeZone zone_;
  std::optional<Timestamp> from_;
  std::optional<Timestamp> to_;
};

// The end of the counted part of the log.
struct AsOf {
  Position position;
  std::optional<Timestamp> time;  // time of that position's event; absent before the first event
};

// Parses --as-of: a position or a time as in parse_time; a date means its end in the time zone. Absent: the
// log's head. Throws UsageError, also for a time after `now`, because its result would change. Nullopt if the
// log has no such position yet.
std::optional<AsOf> find_as_of(const eventstore::Log& log, const std::optional<std::string>& text,
                               const TimeZone& zone, Timestamp now);

}  // namespace pixledger::tools
