#pragma once

#include <cstdint>
#include <vector>

#include "domain/event.h"
#include "eventstore/log.h"
#include "projections/delivery.h"
#include "workers/channel_directory.h"
#include "workers/retry_schedule.h"

namespace pixledger::workers {

// Which webhooks an event asks for. Follows the log in order; used by one thread.
class DeliveryMaker {
 public:
  // Without a schedule of the operator's own, each environment has its default.
  DeliveryMaker(const eventstore::Log& log, std::optional<RetrySchedule> schedule)
      : log_(log), channels_(log), schedule_(std::move(schedule)) {}

  std::vector<projections::NewDelivery> deliveries_of(const domain::RecordedEvent& event);

 private:
  std::vector<projections::NewDelivery> announce(const domain::RecordedEvent& event,
                                                 const domain::ChargeEvent& charge_event);

  const eventstore::Log& log_;
  ChannelDirectory channels_;
  std::optional<RetrySchedule> schedule_;
};

// The same for the same event and channel, also in a store that was made again: receivers know repeats by it.
projections::DeliveryId delivery_id_of(const domain::RecordedEvent& event, const domain::ChannelId& channel);

}  // namespace pixledger::workers
