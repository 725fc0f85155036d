#include "workers/common/retry_schedule.h"

#include <Poco/DateTime.h>
#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeFormatter.h>
#include <Poco/DateTimeParser.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string>

namespace pixledger::workers {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

RetrySchedule RetrySchedule::live() {
  return RetrySchedule({0s, 5s, 30s, 2min, 10min, 30min, 2h, 5h, 10h, 14h, 20h, 24h});
}

RetrySchedule RetrySchedule::sandbox() { return RetrySchedule({0s, 5s, 1min, 10min}); }

RetrySchedule RetrySchedule::of(domain::Environment environment) {
  return environment == domain::Environment::kLive ? live() : sandbox();
}

std::optional<RetrySchedule> RetrySchedule::parse(std::string_view text) {
  std::vector<milliseconds> delays;
  while (true) {
    const auto comma = text.find(',');
    const auto delay = parse_duration(text.substr(0, comma));
    if (!delay || delays.size() == kAttemptsMax) return std::nullopt;
    delays.push_back(*delay);
    if (comma == std::string_view::npos) return RetrySchedule(std::move(delays));
    text.remove_prefix(comma + 1);
  }
}

std::optional<milliseconds> RetrySchedule::delay_before(unsigned attempt, std::uint64_t dice) const {
  if (attempt == 0 || attempt > delays_.size()) return std::nullopt;
  const auto delay = delays_[attempt - 1];
  const auto spread = delay.count() / 10;
  if (spread == 0) return delay;
  return delay - milliseconds(spread) +
         milliseconds(static_cast<std::int64_t>(dice % (2 * static_cast<std::uint64_t>(spread) + 1)));
}

std::uint64_t roll_dice(Entropy& entropy) {
  std::array<std::byte, sizeof(std::uint64_t)> bytes{};
  entropy.fill(bytes);
  std::uint64_t dice = 0;
  std::memcpy(&dice, bytes.data(), sizeof dice);
  return dice;
}

std::optional<milliseconds> parse_retry_after(std::string_view value, Timestamp now) {
  std::int64_t seconds = 0;
  const auto* const end_of_value = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), end_of_value, seconds);
  if (end != value.data() && end == end_of_value && value.front() != '-') {
    const bool too_long = error != std::errc() || seconds > std::chrono::seconds(kRetryAfterMax).count();
    return too_long ? kRetryAfterMax : milliseconds(std::chrono::seconds(seconds));
  }
  Poco::DateTime date;
  int zone = 0;
  const auto& format = Poco::DateTimeFormat::HTTP_FORMAT;
  if (!Poco::DateTimeParser::tryParse(format, std::string(value), date, zone)) return std::nullopt;
  // POCO's parser accepts almost anything as a date.
  if (Poco::DateTimeFormatter::format(date, format) != value) return std::nullopt;
  const milliseconds wait(date.timestamp().epochMicroseconds() / 1000 - now.millis());
  return std::clamp<milliseconds>(wait, 0ms, kRetryAfterMax);
}

namespace {

struct Unit {
  std::string_view name;
  milliseconds length;
};
constexpr std::array<Unit, 5> kUnits{{{"ms", 1ms}, {"s", 1s}, {"min", 1min}, {"h", 1h}, {"d", 24h}}};

}  // namespace

std::optional<milliseconds> parse_duration(std::string_view text, milliseconds max) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || count < 0) return std::nullopt;
  const std::string_view name(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (name.empty() && count == 0) return 0ms;
  for (const auto& unit : kUnits) {
    if (unit.name == name && count <= max / unit.length) return count * unit.length;
  }
  return std::nullopt;
}

}  // namespace pixledger::workers
