#pragma once

#include <optional>

#include "domain/aggregates/channel.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "projections/deliveries/delivery.h"

namespace pixledger::projections {

// What an event tells merchants.
struct Announcement {
  domain::Charge charge;  // with the event applied
  domain::WebhookEvent webhook;
};
// nullopt for events that no merchant is told of. Throws LogCorrupt.
std::optional<Announcement> announcement_of(const eventstore::Log& log, const domain::RecordedEvent& event);

// The announcement for one channel, due at once.
NewDelivery delivery_for(const domain::RecordedEvent& event, const Announcement& announcement,
                         const domain::Channel& channel);

// The same for the same event and channel, also in a database that was made again: receivers know repeats by
// it.
DeliveryId delivery_id_of(const domain::RecordedEvent& event, const domain::ChannelId& channel);

}  // namespace pixledger::projections
