#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/values/cuid.h"
#include "stores/deliveries/delivery.h"
#include "stores/sql/sql_database.h"

namespace pixledger::stores {

// Deliveries and attempts as rows, written in bulk. Each function is part of the caller's transaction.

// The deliveries that a condition selects. `tail` follows "FROM deliveries" and has these parameters.
std::vector<Delivery> select_deliveries(SqlDatabase& database, const std::string& tail,
                                        const SqlValues& values);

// What queues a delivery again, and the SQL of the round that it begins (delivery.h).
enum class Requeued { kRecovery, kRedelivery };
std::string next_round(Requeued by);
// The SQL of how many attempts have been made in a delivery's round.
std::string attempts_of_round(const std::string& deliveries);

// Pending ones, due at their first attempt. One that is there already stays as it is.
void insert_deliveries(SqlDatabase& database, const std::vector<NewDelivery>& deliveries);
// Pending ones, and those that were not delivered queued again: none due yet that is about a charge, the
// others from `now` on.
void insert_missed(SqlDatabase& database, const std::vector<NewDelivery>& deliveries, Timestamp now);
void insert_attempts(SqlDatabase& database, const std::vector<AttemptRecord>& records);
// In a database that has read the log up to a position. One that was given up meanwhile does not become
// pending again.
void update_outcomes(SqlDatabase& database, const std::vector<AttemptRecord>& records, Position read_up_to);

// What the owner of the deliveries and its readers ask alike.

// In the place of a position that a recovery has come to: it waits until its channel takes webhooks again.
inline constexpr std::int64_t kRecoveryWaits = -1;

std::optional<Delivery> find_delivery(SqlDatabase& database, const DeliveryId& id);

// A channel's deliveries, newest first. Without a status: all.
std::vector<Delivery> select_page(SqlDatabase& database, const domain::ChannelId& channel,
                                  std::optional<DeliveryStatus> status, std::size_t offset,
                                  std::size_t limit);
// What one event caused for the channel, newest first.
std::vector<Delivery> select_of_event(SqlDatabase& database, const domain::ChannelId& channel,
                                      Position position);
std::size_t count_deliveries(SqlDatabase& database, const domain::ChannelId& channel,
                             std::optional<DeliveryStatus> status);

// Pending ones of events between two moments, both inclusive, that wait for a time after `now` or for others.
std::uint64_t count_not_due(SqlDatabase& database, const domain::ChannelId& channel, Timestamp since,
                            Timestamp until, Timestamp now);

std::vector<DeliveryAttempt> select_attempts(SqlDatabase& database, std::int64_t delivery_number);

// Those since a moment, of the newest `deliveries_max` deliveries of the channel that are older than that
// one: so many look-ups it takes.
RecentAttempts select_recent_attempts(SqlDatabase& database, const domain::ChannelId& channel,
                                      Timestamp since, const std::optional<OlderThan>& than,
                                      std::size_t deliveries_max);

// What of before this moment there was may have been removed.
std::optional<Timestamp> select_pruned_before(SqlDatabase& database);

ChannelHealth select_health(SqlDatabase& database, const domain::ChannelId& channel);

// A lane: the pending deliveries of one charge to one channel, which go out one after the other.

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
