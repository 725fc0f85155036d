#include "tools/cli/option_values.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/process/options.h"
#include "base/text/ascii.h"
#include "base/text/text.h"
#include "eventstore/codec/codec.h"
#include "eventstore/reading/log_scan.h"
#include "workers/common/retry_schedule.h"

namespace pixledger::tools {

std::optional<GivenTime> find_time(std::string_view text, Timestamp now) {
  if (const auto given = GivenTime::parse(text)) return given;
  // A duration needs a unit here, because some options take a plain number as a position.
  const auto ago = text.empty() || is_ascii_digit(text.back()) ? std::nullopt : workers::parse_duration(text);
  return ago ? std::optional(GivenTime(now.plus_millis(-ago->count()))) : std::nullopt;
}

GivenTime parse_time(std::string_view flag, std::string_view text, Timestamp now) {
  const auto given = find_time(text, now);
  if (!given) throw UsageError(std::string(flag) + " " + std::string(kTimeRule));
  return *given;
}

std::optional<TimeZone> parse_zone(const std::string& text) {
  return parse_given<TimeZone>("--timezone", text);
}

std::ifstream open_named_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError("cannot read " + path + ": " + std::generic_category().message(errno));
  return file;
}

domain::WebhookEventSet parse_webhook_events(std::string_view flag, const std::vector<std::string>& names) {
  if (names.empty()) return domain::WebhookEventSet::standard();
  const auto events = domain::WebhookEventSet::parse(joined(names, ","));
  if (!events) throw UsageError(std::string(flag) + " must be of: " + domain::WebhookEventSet::all().text());
  return *events;
}

domain::EnvironmentSet parse_environments(std::string_view flag, const std::vector<std::string>& names) {
  if (names.empty()) return domain::EnvironmentSet::all();
  const auto environments = domain::EnvironmentSet::parse(joined(names, ","));
  if (!environments) throw UsageError(std::string(flag) + " must be of: live,sandbox");
  return *environments;
}

namespace {

using eventstore::Log;

constexpr const char* kFutureAsOf = "--as-of must not be in the future";

std::optional<std::uint64_t> parse_position(std::string_view text) {
  const auto number = whole_number<std::uint64_t>(text);
  return number != 0 ? number : std::nullopt;
}

AsOf as_of(const Log& log, Position position) {
  if (position == Position()) return {};
  const auto stored = log.read_after(Position(position.value() - 1), 1);
  if (stored.empty()) throw eventstore::LogCorrupt("the log ends before its head");
  return {position, eventstore::decode(stored.front()).recorded_at};
}

}  // namespace

GivenPeriod parse_period(const std::optional<std::string>& from, const std::optional<std::string>& to,
                         Timestamp now) {
  GivenPeriod given;
  if (from) given.from = parse_time("--from", *from, now);
  if (to) given.to = parse_time("--to", *to, now);
  return given;
}

Period::Period(const GivenPeriod& given, TimeZone zone) : zone_(std::move(zone)) {
  if (given.from) from_ = zone_.first_of(*given.from);
  if (given.to) to_ = zone_.last_of(*given.to);
  if (from_ && to_ && *from_ > *to_) throw UsageError("--from must not be after --to");
}

bool Period::contains(Timestamp moment) const {
  return (!from_ || *from_ <= moment) && (!to_ || moment <= *to_);
}

Position Period::begin(const Log& log, std::int64_t earlier_ms) const {
  return from_ ? eventstore::position_at(log, from_->plus_millis(-1 - earlier_ms)) : Position();
}

std::pair<Position, Position> Period::positions(const Log& log, Position head) const {
  return {begin(log), to_ ? std::min(head, eventstore::position_at(log, *to_)) : head};
}

std::optional<AsOf> find_as_of(const Log& log, const std::optional<std::string>& text, const TimeZone& zone,
                               Timestamp now) {
  if (!text) return as_of(log, log.head().position);
  if (const auto position = parse_position(*text)) {
    if (*position > log.head().position.value()) return std::nullopt;
    return as_of(log, Position(*position));
  }
  const auto given = find_time(*text, now);
  if (!given) throw UsageError("--as-of must be a position, or " + std::string(kTimeRule.substr(8)));
  if (zone.first_of(*given) > now) throw UsageError(kFutureAsOf);
  return as_of(log, eventstore::position_at(log, zone.last_of(*given)));
}

}  // namespace pixledger::tools
