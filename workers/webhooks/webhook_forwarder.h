#pragma once

#include <cstddef>
#include <vector>

#include "eventstore/log/log.h"
#include "stores/deliveries/webhook_composer.h"
#include "workers/webhooks/forwarding.h"

namespace pixledger::workers {

// Sends a project's events, as its channels get them, to one address: for those who develop a receiver. One
// after the other; keeps nothing. Used by one thread. The log, the keyring and the target outlive it.
class WebhookForwarder {
 public:
  static constexpr std::size_t kStepEventsMax = 64;

  // Events after this position. `ended_epochs`: of the log, for the ids of events.
  WebhookForwarder(const eventstore::Log& log, const eventstore::Keyring& keyring,
                   std::vector<eventstore::EndedEpoch> ended_epochs, domain::ProjectId project,
                   ForwardingTarget& target, Position after);

  // Forwards the next event, all that it tells, or passes over some that are not meant; false when there are
  // none, or when it was stopped. An event that gets any answer is done with; where nobody answers it is
  // tried again until somebody does.
  bool step(const ForwardingTarget::Report& report, const ForwardingTarget::Stop& stop);

  Position position() const { return after_; }

 private:
  std::vector<stores::Delivery> deliveries_of(const domain::RecordedEvent& event);

  const eventstore::Log& log_;
  const domain::ProjectId project_;
  ForwardingTarget& target_;
  eventstore::StateHistory history_;
  stores::WebhookComposer composer_;
  Position after_;
};

}  // namespace pixledger::workers
