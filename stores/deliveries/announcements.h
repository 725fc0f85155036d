#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "domain/aggregates/channel.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "stores/deliveries/delivery.h"
#include "stores/deliveries/delivery_repository.h"

namespace pixledger::stores {

// An event as announced to merchants.
struct Announcement {
  domain::WebhookEvent webhook;
  std::optional<domain::ChargeId> charge;                       // absent: it is about the store
  std::optional<domain::Environment> environment;               // absent: both environments
  std::optional<domain::CheckoutSessionId> checkout_session{};  // of the charge
};
// In order of announcement; empty for events that concern only the ledger. Throws LogCorrupt.
std::vector<Announcement> announcements_of(eventstore::StateHistory& history,
                                           const domain::RecordedEvent& event);

// True if the channel subscribes to it now. A checkout session's channel gets its own charges only.
bool wants(const domain::Channel& channel, const Announcement& announcement);

// The announcement for one channel, due immediately.
NewDelivery delivery_for(const domain::RecordedEvent& event, const Announcement& announcement,
                         const domain::Channel& channel);

// The same for the same event and channel, even in a rebuilt database: receivers detect repeats by it.
DeliveryId delivery_id_of(const domain::RecordedEvent& event, domain::WebhookEvent webhook,
                          const domain::ChannelId& channel);

// Most events examined, to bound the time of the count.
constexpr std::size_t kMissedEventsCountedMax = 100'000;

// Counts the webhooks that a recovery of the channel would send for events between two times, inclusive:
// those never made, given up or exhausted. Excludes events that the worker has not read yet, since it will
// make those webhooks anyway. The count is a lower bound if there were more events than are examined, or if
// the channel was inactive at times. `reader` is null if no worker has made deliveries. Calls `check` before
// each event; an exception from it ends the count.
std::uint64_t count_missed_deliveries(const eventstore::Log& log, const domain::Channel& channel,
                                      const DeliveryReader* reader, Timestamp since, Timestamp until,
                                      const std::function<void()>& check);

// The last position with a time before `moment`, or 0. Reads a few events: times never decrease along the
// log.
Position last_position_before(const eventstore::Log& log, Timestamp moment);

}  // namespace pixledger::stores
