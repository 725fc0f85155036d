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

// At most so many events are looked at, so that nobody waits long for the count.
constexpr std::size_t kMissedEventsCountedMax = 100'000;

// How many webhooks about what happened between the moments, both inclusive, a recovery of the channel would
// send: those that were never made, were given up or are exhausted. Not those of events that the worker has
// not read yet, for it makes them in any case. At least that many, where there were more events than are
// counted, or the channel was not active when some of those happened. `reader`: null when no worker has made
// any delivery. `check` is asked before each event is looked at: what it throws gives up.
std::uint64_t count_missed_deliveries(const eventstore::Log& log, const domain::Channel& channel,
                                      const DeliveryReader* reader, Timestamp since, Timestamp until,
                                      const std::function<void()>& check);

// The last position with an earlier time than the moment, 0 where there is none. Reads a few events: times
// never decrease along the log.
Position last_position_before(const eventstore::Log& log, Timestamp moment);

}  // namespace pixledger::stores
