#include "tools/cli/option_values.h"

#include "eventstore/process/options.h"
#include "workers/common/duration_text.h"

namespace pixledger::tools {

using eventstore::UsageError;

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

}  // namespace

domain::Timestamp parse_time(std::string_view flag, std::string_view text, const eventstore::Clock& clock) {
  if (const auto moment = domain::parse_iso8601(text)) return *moment;
  if (const auto day = domain::parse_date(text)) return *day;
  if (const auto ago = workers::parse_duration(text)) return clock.now().plus_millis(-ago->count());
  throw UsageError(std::string(flag) +
                   " must be a time such as 2026-01-31T12:00:00Z, a date, or 2h for so long ago");
}

domain::WebhookEventSet parse_webhook_events(std::string_view flag, const std::vector<std::string>& names) {
  if (names.empty()) return domain::WebhookEventSet::standard();
  const auto events = domain::WebhookEventSet::parse(joined(names));
  if (!events) throw UsageError(std::string(flag) + " must be of: " + domain::WebhookEventSet::all().text());
  return *events;
}

domain::EnvironmentSet parse_environments(std::string_view flag, const std::vector<std::string>& names) {
  if (names.empty()) return domain::EnvironmentSet::all();
  const auto environments = domain::EnvironmentSet::parse(joined(names));
  if (!environments) throw UsageError(std::string(flag) + " must be of: live,sandbox");
  return *environments;
}

}  // namespace pixledger::tools
