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

// Deliveries and attempts as rows, written in bulk. Each function runs in the caller's transaction.

// Selects deliveries. `tail` follows "FROM deliveries" and has these parameters.
std::vector<Delivery> select_deliveries(SqlDatabase& database, const std::string& tail,
                                        const SqlValues& values);

// Reasons for requeueing a delivery, and the SQL of the round that starts (delivery.h).
enum class Requeued { kRecovery, kRedelivery };
std::string next_round(Requeued by);
// SQL for the number of attempts in a delivery's round.
std::string attempts_of_round(const std::string& deliveries);

// Inserts pending deliveries, due at their first attempt. Existing ones stay unchanged.
void insert_deliveries(SqlDatabase& database, const std::vector<NewDelivery>& deliveries);
// Inserts pending deliveries, and requeues undelivered ones. Those about a charge are not due yet; the others
// are due from `now` on.
void insert_missed(SqlDatabase& database, const std::vector<NewDelivery>& deliveries, Timestamp now);
void insert_attempts(SqlDatabase& database, const std::vector<AttemptRecord>& records);
// For a database that has read the log up to `read`. Deliveries given up meanwhile do not become pending
// again.
void update_outcomes(SqlDatabase& database, const std::vector<AttemptRecord>& records, Position read_up_to);

// Queries that the owner of the deliveries and its readers share.

// Stored instead of a recovery's position: it waits until its channel resumes.
inline constexpr std::int64_t kRecoveryWaits = -1;

std::optional<Delivery> find_delivery(SqlDatabase& database, const DeliveryId& id);

// A channel's deliveries, newest first; all statuses unless one is given.
std::vector<Delivery> select_page(SqlDatabase& database, const domain::ChannelId& channel,
                                  std::optional<DeliveryStatus> status, std::size_t offset,
                                  std::size_t limit);
// An event's deliveries for the channel, newest first.
std::vector<Delivery> select_of_event(SqlDatabase& database, const domain::ChannelId& channel,
                                      Position position);
std::size_t count_deliveries(SqlDatabase& database, const domain::ChannelId& channel,
                             std::optional<DeliveryStatus> status);

// Pending deliveries of events between two times, inclusive, that wait for a time after `now` or for other
// deliveries.
std::uint64_t count_not_due(SqlDatabase& database, const domain::ChannelId& channel, Timestamp since,
                            Timestamp until, Timestamp now);

std::vector<DeliveryAttempt> select_attempts(SqlDatabase& database, std::int64_t delivery_number);

// Attempts since a time, of the channel's newest `deliveries_max` deliveries that are older than `than`; one
// lookup per delivery.
RecentAttempts select_recent_attempts(SqlDatabase& database, const domain::ChannelId& channel,
                                      Timestamp since, const std::optional<OlderThan>& than,
                                      std::size_t deliveries_max);

// Data before this time may have been removed.
std::optional<Timestamp> select_pruned_before(SqlDatabase& database);

ChannelHealth select_health(SqlDatabase& database, const domain::ChannelId& channel);

// A lane is the pending deliveries of one charge to one channel, which are sent one after the other.

// How long a failing delivery holds back the later ones of its charge and channel.
constexpr std::int64_t kHoldBackMaxMs = 10LL * 60 * 1000;

// A pending delivery in a lane.
struct LaneEntry {
  std::optional<Timestamp> first_failed_at;  // absent: not failed yet
};

// When the delivery after these pending ones, given in order, may first be attempted. Returns `now` if there
// are no earlier ones, else the time when each has been failing for kHoldBackMaxMs; nullopt if one has not
// failed yet.
std::optional<Timestamp> release_time(const std::vector<LaneEntry>& earlier, Timestamp now);

using LaneKey = std::pair<domain::ChannelId, domain::ChargeId>;
using LaneKeys = std::set<LaneKey>;

// Runs in the caller's transaction. Call it after adding deliveries: later ones in a lane wait for earlier
// ones.
void hold_back(SqlDatabase& database, const LaneKeys& lanes);
// Call it after a delivery ended, failed or was requeued: releases deliveries that need not wait any more,
// from `now` on.
void release(SqlDatabase& database, const LaneKeys& lanes, Timestamp now);

}  // namespace pixledger::stores
