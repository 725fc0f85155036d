#include "projections/delivery_lane.h"

#include <algorithm>

namespace pixledger::projections {

std::optional<domain::Timestamp> release_time(const std::vector<LaneEntry>& earlier, domain::Timestamp now) {
  auto release = now;
  for (const auto& entry : earlier) {
    if (!entry.first_failed_at) return std::nullopt;
    release = std::max(release, entry.first_failed_at->plus_millis(kHoldBackMaxMs));
  }
  return release;
}

}  // namespace pixledger::projections
