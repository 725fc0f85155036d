#pragma once

#include <optional>
#include <vector>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "stores/deliveries/announcement.h"
#include "stores/deliveries/delivery.h"
#include "workers/common/retry_schedule.h"
#include "workers/webhooks/channel_directory.h"

namespace pixledger::workers {

// What an event asks of the deliveries. Follows the log in order; used by one thread.
class DeliveryMaker {
 public:
  // Without a schedule of the operator's own, each environment has its default.
  DeliveryMaker(const eventstore::Log& log, std::optional<RetrySchedule> schedule)
      : log_(log), channels_(log), history_(log), schedule_(std::move(schedule)) {}

  std::vector<stores::DeliveryChange> changes_of(const domain::RecordedEvent& event);

 private:
  void announce(const domain::RecordedEvent& event, std::vector<stores::DeliveryChange>& changes);
  stores::NewDelivery delivery_of(const domain::RecordedEvent& event,
                                  const stores::Announcement& announcement,
                                  const domain::Channel& channel) const;

  const eventstore::Log& log_;
  ChannelDirectory channels_;
  eventstore::StateHistory history_;
  std::optional<RetrySchedule> schedule_;
};

}  // namespace pixledger::workers
