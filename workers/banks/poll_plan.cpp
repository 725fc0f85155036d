#include "workers/banks/poll_plan.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "workers/common/retry_schedule.h"

namespace pixledger::workers {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::hours kLongest{400 * 24};
constexpr std::size_t kTiersMax = 8;

// Accepts "m" for minutes; rejects milliseconds.
std::optional<milliseconds> parse_span(std::string_view text) {
  if (text.ends_with("ms")) return std::nullopt;
  const auto span = parse_duration(std::string(text) + (text.ends_with('m') ? "in" : ""), kLongest);
  return span && span->count() > 0 ? span : std::nullopt;
}

}  // namespace

PollPlan PollPlan::usual() {
  using namespace std::chrono_literals;
  return PollPlan({{10s, 15min}, {10min, 24h}, {24h, 100 * 24h}});
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
