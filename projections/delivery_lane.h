#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/timestamp.h"

namespace pixledger::projections {

// How long a failing delivery holds back the later ones of its charge and channel.
constexpr std::int64_t kHoldBackMaxMs = 10LL * 60 * 1000;

// A pending delivery among those of one charge and channel.
struct LaneEntry {
  std::optional<domain::Timestamp> first_failed_at;  // absent: no attempt yet
};

// When the delivery behind these pending ones, given in order, may be attempted for the first time: `now`
// when there are none, once each has been failing for kHoldBackMaxMs otherwise; nullopt while one of them has
// not failed yet.
std::optional<domain::Timestamp> release_time(const std::vector<LaneEntry>& earlier, domain::Timestamp now);

}  // namespace pixledger::projections
