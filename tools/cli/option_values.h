#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/time_zone.h"
#include "base/values/given_time.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/channel.h"

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

}  // namespace pixledger::tools
