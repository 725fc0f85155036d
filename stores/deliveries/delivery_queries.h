#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stores/deliveries/delivery.h"
#include "stores/sql/sql_database.h"

// What the owner of the deliveries and its readers ask alike.
namespace pixledger::stores {

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

}  // namespace pixledger::stores
