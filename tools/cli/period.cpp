#include "tools/cli/period.h"

#include <algorithm>
#include <charconv>

#include "domain/values/day.h"
#include "eventstore/codec/codec.h"
#include "eventstore/process/options.h"
#include "eventstore/reading/log_scan.h"
#include "tools/cli/option_values.h"

namespace pixledger::tools {
namespace {

using domain::kDayMs;
using domain::Position;
using domain::Timestamp;
using eventstore::Log;
using eventstore::UsageError;

constexpr const char* kFutureAsOf = "--as-of must not be in the future";
// No zone is ever further from UTC.
constexpr std::int64_t kOffsetMsMax = 26LL * 60 * 60 * 1000;

std::optional<std::uint64_t> parse_position(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

// The first moment of a day and a zone is not before this, and the last not after the one of the next day.
Timestamp earliest_of(std::int64_t day) { return Timestamp(day * kDayMs - kOffsetMsMax); }

AsOf as_of(const Log& log, Position position) {
  if (position == Position()) return {};
  const auto stored = log.read_after(Position(position.value() - 1), 1);
  if (stored.empty()) throw eventstore::LogCorrupt("the log ends before its head");
  return {position, eventstore::decode(stored.front()).recorded_at};
}

// The newest event of that day or before.
Position end_of_day(const Log& log, std::int64_t day, const eventstore::TimeZone& zone) {
  auto low = earliest_of(day);
  auto high = Timestamp((day + 1) * kDayMs + kOffsetMsMax);
  while (low.plus_millis(1) < high) {
    const Timestamp middle(low.millis() + (high.millis() - low.millis()) / 2);
    (zone.day_of(middle) <= day ? low : high) = middle;
  }
  return eventstore::position_at(log, low);
}

}  // namespace

Period::Period(const std::optional<std::string>& from, const std::optional<std::string>& to,
               eventstore::TimeZone zone, Timestamp now)
    : zone_(std::move(zone)), from_(parse("--from", from, now)), to_(parse("--to", to, now)) {
  if (from_ && to_ && ends_before_it_begins()) throw UsageError("--from must not be after --to");
}

bool Period::ends_before_it_begins() const {
  const auto* from = std::get_if<Timestamp>(&*from_);
  const auto* to = std::get_if<Timestamp>(&*to_);
  return from && to ? *from > *to : day_of(*from_) > day_of(*to_);
}

std::int64_t Period::day_of(const Bound& bound) const {
  const auto* day = std::get_if<Day>(&bound);
  return day ? day->number : zone_.day_of(std::get<Timestamp>(bound));
}

std::optional<Period::Bound> Period::parse(std::string_view flag, const std::optional<std::string>& text,
                                           Timestamp now) {
  if (!text) return std::nullopt;
  const auto given = parse_time(flag, *text, now);
  if (const auto day = given.day()) return Day{day->number};
  return given.first();
}

bool Period::contains(Timestamp moment) const {
  if (from_) {
    const auto* day = std::get_if<Day>(&*from_);
    if (day ? zone_.day_of(moment) < day->number : moment < std::get<Timestamp>(*from_)) return false;
  }
  if (!to_) return true;
  const auto* day = std::get_if<Day>(&*to_);
  return day ? zone_.day_of(moment) <= day->number : moment <= std::get<Timestamp>(*to_);
}

Position Period::begin(const Log& log, std::int64_t earlier_ms) const {
  if (!from_) return {};
  const auto* day = std::get_if<Day>(&*from_);
  const auto earliest = day ? earliest_of(day->number) : std::get<Timestamp>(*from_);
  return eventstore::position_at(log, earliest.plus_millis(-1 - earlier_ms));
}

std::pair<Position, Position> Period::positions(const Log& log, Position head) const {
  auto last = head;
  if (to_) {
    const auto* day = std::get_if<Day>(&*to_);
    const auto latest =
        day ? Timestamp((day->number + 1) * kDayMs + kOffsetMsMax) : std::get<Timestamp>(*to_);
    last = std::min(head, eventstore::position_at(log, latest));
  }
  return {begin(log), last};
}

std::optional<AsOf> find_as_of(const Log& log, const std::optional<std::string>& text,
                               const eventstore::TimeZone& zone, Timestamp now) {
  if (!text) return as_of(log, log.head().position);
  if (const auto position = parse_position(*text)) {
    if (*position > log.head().position.value()) return std::nullopt;
    return as_of(log, Position(*position));
  }
  const auto given = find_time(*text, now);
  if (!given) throw UsageError("--as-of must be a position, or " + std::string(kTimeRule.substr(8)));
  if (const auto day = given->day()) {
    if (day->number > zone.day_of(now)) throw UsageError(kFutureAsOf);
    return as_of(log, end_of_day(log, day->number, zone));
  }
  if (given->first() > now) throw UsageError(kFutureAsOf);
  return as_of(log, eventstore::position_at(log, given->first()));
}

}  // namespace pixledger::tools
