#pragma once

#include <cstdint>
#include <functional>

#include "domain/aggregates/channel.h"
#include "eventstore/log/log.h"
#include "stores/deliveries/delivery_reader.h"

namespace pixledger::stores {

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

}  // namespace pixledger::stores
