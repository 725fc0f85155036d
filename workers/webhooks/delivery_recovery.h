#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/platform/clock.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "stores/deliveries/delivery_repository.h"

namespace pixledger::workers {

// Queues what channels missed, as their recoveries ask: reads the log again, in steps, so that neither memory
// nor the events that come meanwhile have to wait for it, and projects take turns. Goes on after a restart.
// Used by one thread.
//
// What retention has removed stays out: nobody could tell whether it had been delivered.
class DeliveryRecovery {
 public:
  static constexpr std::size_t kStepEventsMax = 512;

  DeliveryRecovery(const eventstore::Log& log, const Clock& clock, stores::DeliveryRepository& database)
      : log_(log), clock_(clock), database_(database), history_(log) {}

  struct Step {
    domain::ChannelId channel;
    std::size_t missed;  // deliveries that it found missing
  };
  // Does a step of the next project's recovery; nullopt when there is none.
  std::optional<Step> step();

 private:
  std::vector<stores::NewDelivery> deliveries_for(const domain::RecordedEvent& event,
                                                  const domain::Channel& channel);
  Position start_of(const stores::Recovery& recovery, const domain::Channel& channel) const;

  const eventstore::Log& log_;
  const Clock& clock_;
  stores::DeliveryRepository& database_;
  eventstore::StateHistory history_;
  std::optional<domain::ProjectId> served_;  // whose turn it was last
};

}  // namespace pixledger::workers
