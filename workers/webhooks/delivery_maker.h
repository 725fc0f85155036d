#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "domain/aggregates/channel.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "stores/deliveries/announcements.h"
#include "stores/deliveries/delivery.h"
#include "workers/common/retry_schedule.h"

namespace pixledger::workers {

// The channels of each project as of the event that is being handled, without those of checkout sessions.
// Follows the log in order; used by one thread.
class ChannelDirectory {
 public:
  static constexpr std::size_t kProjectsMax = 10'000;

  explicit ChannelDirectory(const eventstore::Log& log) : log_(log) {}

  // Those that existed at the position, which is never before one asked for earlier. Valid until the next
  // call.
  const std::vector<domain::Channel>& channels_at(const domain::ProjectId& project, Position position);

  // A channel's event, each as its turn comes.
  void apply(const domain::RecordedEvent& event);

 private:
  const eventstore::Log& log_;
  std::unordered_map<domain::ProjectId, std::vector<domain::Channel>> projects_;
};

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
