#pragma once

#include <optional>
#include <vector>

#include "domain/charge.h"
#include "domain/event.h"
#include "eventstore/log.h"
#include "projections/delivery.h"
#include "workers/channel_directory.h"
#include "workers/retry_schedule.h"

namespace pixledger::workers {

// What an event tells merchants.
struct Announcement {
  domain::Charge charge;  // with the event applied
  domain::WebhookEvent webhook;
};
// nullopt for events that no merchant is told of. Throws LogCorrupt.
std::optional<Announcement> announcement_of(const eventstore::Log& log, const domain::RecordedEvent& event);

// The announcement for one channel, due at once.
projections::NewDelivery delivery_for(const domain::RecordedEvent& event, const Announcement& announcement,
                                      const domain::Channel& channel);

// What an event asks of the deliveries. Follows the log in order; used by one thread.
class DeliveryMaker {
 public:
  // Without a schedule of the operator's own, each environment has its default.
  DeliveryMaker(const eventstore::Log& log, std::optional<RetrySchedule> schedule)
      : log_(log), channels_(log), schedule_(std::move(schedule)) {}

  std::vector<projections::DeliveryChange> changes_of(const domain::RecordedEvent& event);

 private:
  void announce(const domain::RecordedEvent& event, std::vector<projections::DeliveryChange>& changes);

  const eventstore::Log& log_;
  ChannelDirectory channels_;
  std::optional<RetrySchedule> schedule_;
};

// The same for the same event and channel, also in a store that was made again: receivers know repeats by it.
projections::DeliveryId delivery_id_of(const domain::RecordedEvent& event, const domain::ChannelId& channel);

}  // namespace pixledger::workers
