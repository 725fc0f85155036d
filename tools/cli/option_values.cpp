#include "tools/cli/option_values.h"

#include <cerrno>
#include <system_error>

#include "base/process/options.h"
#include "base/text/ascii.h"
#include "workers/common/duration_text.h"

namespace pixledger::tools {

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

}  // namespace

std::optional<GivenTime> find_time(std::string_view text, Timestamp now) {
  if (const auto given = GivenTime::parse(text)) return given;
  // A duration has a unit here: a number alone is a position somewhere.
  const auto ago = text.empty() || is_ascii_digit(text.back()) ? std::nullopt : workers::parse_duration(text);
  return ago ? std::optional(GivenTime(now.plus_millis(-ago->count()))) : std::nullopt;
}

GivenTime parse_time(std::string_view flag, std::string_view text, Timestamp now) {
  const auto given = find_time(text, now);
  if (!given) throw UsageError(std::string(flag) + " " + std::string(kTimeRule));
  return *given;
}

std::optional<TimeZone> parse_zone(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_option<TimeZone>("--timezone", text);
}

std::ifstream open_named_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError("cannot read " + path + ": " + std::generic_category().message(errno));
  return file;
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
