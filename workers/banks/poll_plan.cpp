#include "workers/banks/poll_plan.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace pixledger::workers {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSecond{1'000};
constexpr milliseconds kMinute = 60 * kSecond;
constexpr milliseconds kHour = 60 * kMinute;
constexpr milliseconds kDay = 24 * kHour;
constexpr milliseconds kLongest = 400 * kDay;
constexpr std::size_t kTiersMax = 8;

std::optional<milliseconds> parse_span(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number <= 0) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  std::optional<milliseconds> of_unit;
  if (unit == "s") of_unit = kSecond;
  if (unit == "m" || unit == "min") of_unit = kMinute;
  if (unit == "h") of_unit = kHour;
  if (unit == "d") of_unit = kDay;
  if (!of_unit || number > kLongest / *of_unit) return std::nullopt;
  return *of_unit * number;
}

}  // namespace

PollPlan PollPlan::usual() {
  return PollPlan({{10 * kSecond, 15 * kMinute}, {10 * kMinute, kDay}, {kDay, 100 * kDay}});
}

std::optional<PollPlan> PollPlan::parse(std::string_view text) {
  std::vector<PollTier> tiers;
  while (!text.empty()) {
    const auto tier = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), tier.size() + 1));
    const auto colon = tier.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto every = parse_span(tier.substr(0, colon));
    const auto back = parse_span(tier.substr(colon + 1));
    if (!every || !back || tiers.size() == kTiersMax) return std::nullopt;
    tiers.push_back({*every, *back});
  }
  if (tiers.empty()) return std::nullopt;
  return PollPlan(std::move(tiers));
}

}  // namespace pixledger::workers
