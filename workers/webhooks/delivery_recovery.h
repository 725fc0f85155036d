#pragma once

#include <cstddef>
#include <optional>

#include "eventstore/log/log.h"
#include "eventstore/platform/clock.h"
#include "projections/deliveries/delivery_repository.h"

namespace pixledger::workers {

// Queues what channels missed, as their recoveries ask: reads the log again, in steps, so that neither memory
// nor the events that come meanwhile have to wait for it. Goes on after a restart. Used by one thread.
//
// What retention has removed stays out: nobody could tell whether it had been delivered.
class DeliveryRecovery {
 public:
  static constexpr std::size_t kStepEventsMax = 512;

  DeliveryRecovery(const eventstore::Log& log, const eventstore::Clock& clock,
                   projections::DeliveryRepository& database)
      : log_(log), clock_(clock), database_(database) {}

  struct Step {
    domain::ChannelId channel;
    std::size_t looked_at;  // deliveries that should be there
  };
  // Does a step of the oldest recovery; nullopt when there is none.
  std::optional<Step> step();

 private:
  domain::Position start_of(const projections::Recovery& recovery, const domain::Channel& channel) const;

  const eventstore::Log& log_;
  const eventstore::Clock& clock_;
  projections::DeliveryRepository& database_;
};

}  // namespace pixledger::workers
