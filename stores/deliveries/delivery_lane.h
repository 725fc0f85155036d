#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/values/cuid.h"
#include "stores/sql/sql_database.h"

// A lane: the pending deliveries of one charge to one channel, which go out one after the other.
namespace pixledger::stores {

// How long a failing delivery holds back the later ones of its charge and channel.
constexpr std::int64_t kHoldBackMaxMs = 10LL * 60 * 1000;

// A pending delivery among those of one charge and channel.
struct LaneEntry {
  std::optional<Timestamp> first_failed_at;  // absent: no attempt yet
};

// When the delivery behind these pending ones, given in order, may be attempted for the first time: `now`
// when there are none, once each has been failing for kHoldBackMaxMs otherwise; nullopt while one of them has
// not failed yet.
std::optional<Timestamp> release_time(const std::vector<LaneEntry>& earlier, Timestamp now);

using LaneKey = std::pair<domain::ChannelId, domain::ChargeId>;
using LaneKeys = std::set<LaneKey>;

// Part of the caller's transaction. After deliveries were added: those behind others wait for them.
void hold_back(SqlDatabase& database, const LaneKeys& lanes);
// After something ended, failed or was queued again: sets free what waits for nothing anymore, from `now` on.
void release(SqlDatabase& database, const LaneKeys& lanes, Timestamp now);

}  // namespace pixledger::stores
