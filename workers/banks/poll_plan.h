#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace pixledger::workers {

// How often accounts are polled, and how far back. Banks show payments late, and show returns only with their
// payment.
struct PollTier {
  std::chrono::milliseconds every;
  std::chrono::milliseconds back;
};
class PollPlan {
 public:
  static constexpr std::string_view kRule =
      "must be tiers separated by commas, each EVERY:BACK in s, min, m, h or d: 10s:15m,10m:24h,24h:100d";

  // Every 10 s the last 15 minutes, every 10 minutes the last day, every day the last 100 days.
  static PollPlan usual();
  static std::optional<PollPlan> parse(std::string_view text);

  const std::vector<PollTier>& tiers() const { return tiers_; }

 private:
  explicit PollPlan(std::vector<PollTier> tiers) : tiers_(std::move(tiers)) {}
  std::vector<PollTier> tiers_;
};

}  // namespace pixledger::workers
