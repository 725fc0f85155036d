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

// Each project's channels as of the event being handled, without those of checkout sessions. Follows the log
// in order; used by one thread.
class ChannelDirectory {
 public:
  static constexpr std::size_t kProjectsMax = 10'000;

  explicit ChannelDirectory(const eventstore::Log& log) : log_(log) {}

  // The channels at that position, which must not decrease between calls. Valid until the next call.
  const std::vector<domain::Channel>& channels_at(const domain::ProjectId& project, Position position);

  // Call for each channel event, in order.
  void apply(const domain::RecordedEvent& event);

 private:
  const eventstore::Log& log_;
  std::unordered_map<domain::ProjectId, std::vector<domain::Channel>> projects_;
};

// Turns events into delivery changes. Follows the log in order; used by one thread.
class DeliveryMaker {
 public:
  // Without `schedule`, each environment has its default.
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
