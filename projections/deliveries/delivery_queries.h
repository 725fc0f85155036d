#pragma once

#include <Poco/Data/Session.h>
#include <cstdint>
#include <optional>
#include <vector>

#include "projections/deliveries/delivery.h"
#include "projections/storage/log_cursor.h"

// What the owner of the deliveries and its readers ask alike.
namespace pixledger::projections {

std::optional<Delivery> find_delivery(Poco::Data::Session& session, const DeliveryId& id);

// A channel's deliveries, newest first. Without a status: all.
std::vector<Delivery> select_page(Poco::Data::Session& session, const domain::ChannelId& channel,
                                  std::optional<DeliveryStatus> status, std::size_t offset,
                                  std::size_t limit);
std::size_t count_deliveries(Poco::Data::Session& session, const domain::ChannelId& channel,
                             std::optional<DeliveryStatus> status);

// Pending ones of events between two moments, both inclusive, that wait for a time after `now` or for others.
std::uint64_t count_not_due(Poco::Data::Session& session, const domain::ChannelId& channel,
                            domain::Timestamp since, domain::Timestamp until, domain::Timestamp now);

std::vector<DeliveryAttempt> select_attempts(Poco::Data::Session& session, std::int64_t delivery_number);

// What of before this moment there was may have been removed.
std::optional<domain::Timestamp> select_pruned_before(Poco::Data::Session& session);

ChannelHealth select_health(Poco::Data::Session& session, const domain::ChannelId& channel);

}  // namespace pixledger::projections
