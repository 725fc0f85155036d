#include "workers/webhooks/webhook_forwarder.h"

#include <utility>

#include "eventstore/codec/codec.h"

namespace pixledger::workers {

WebhookForwarder::WebhookForwarder(const eventstore::Log& log, const eventstore::Keyring& keyring,
                                   std::vector<eventstore::EndedEpoch> ended_epochs,
                                   domain::ProjectId project, ForwardingTarget& target, Position after)
    : log_(log),
      project_(std::move(project)),
      target_(target),
      history_(log),
      composer_(log, keyring, std::move(ended_epochs)),
      after_(after) {}

bool WebhookForwarder::step(const ForwardingTarget::Report& report, const ForwardingTarget::Stop& stop) {
  const auto batch = log_.read_after(after_, kStepEventsMax);
  for (const auto& stored : batch) {
    const auto event = eventstore::decode(stored);
    const auto deliveries = deliveries_of(event);
    for (const auto& delivery : deliveries) {
      if (!target_.forward(delivery, composer_.body_of(delivery), report, stop)) return false;
    }
    after_ = event.position;
    if (!deliveries.empty()) return true;
  }
  return !batch.empty();
}

std::vector<stores::Delivery> WebhookForwarder::deliveries_of(const domain::RecordedEvent& event) {
  if (event.project != project_) return {};
  return target_.deliveries_of(event, stores::announcements_of(history_, event));
}

}  // namespace pixledger::workers
