#pragma once

#include <optional>
#include <vector>

#include "domain/aggregates/channel.h"
#include "domain/aggregates/event.h"
#include "eventstore/reading/state_history.h"
#include "stores/deliveries/delivery.h"

namespace pixledger::stores {

// What an event tells merchants.
struct Announcement {
  domain::WebhookEvent webhook;
  std::optional<domain::ChargeId> charge;                       // absent: it is about the store
  std::optional<domain::Environment> environment;               // absent: it belongs to both
  std::optional<domain::CheckoutSessionId> checkout_session{};  // of the charge
};
// In the order in which they are told; none of events that concern only the ledger. Throws LogCorrupt.
std::vector<Announcement> announcements_of(eventstore::StateHistory& history,
                                           const domain::RecordedEvent& event);

// Whether the channel is to be told of it now. That of a checkout session is told of its charges alone.
bool wants(const domain::Channel& channel, const Announcement& announcement);

// The announcement for one channel, due at once.
NewDelivery delivery_for(const domain::RecordedEvent& event, const Announcement& announcement,
                         const domain::Channel& channel);

// The same for the same event and channel, also in a database that was made again: receivers know repeats by
// it.
DeliveryId delivery_id_of(const domain::RecordedEvent& event, domain::WebhookEvent webhook,
                          const domain::ChannelId& channel);

}  // namespace pixledger::stores
