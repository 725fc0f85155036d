#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/aggregates/channel.h"
#include "domain/values/timestamp.h"
#include "eventstore/platform/clock.h"

// Values of options that several commands share.
namespace pixledger::tools {

// "2026-01-31T12:00:00Z", "2026-01-31" (midnight UTC), or "2h": so long ago. Throws UsageError.
domain::Timestamp parse_time(std::string_view flag, std::string_view text, const eventstore::Clock& clock);

// Names of webhook events; none means all. Throws UsageError.
domain::WebhookEventSet parse_webhook_events(std::string_view flag, const std::vector<std::string>& names);

// Comma-separated names, also over several uses of the flag; both without any.
domain::EnvironmentSet parse_environments(std::string_view flag, const std::vector<std::string>& names);

}  // namespace pixledger::tools
