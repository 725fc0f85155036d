#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/net/webhook_target.h"
#include "base/platform/clock_and_entropy.h"
#include "domain/aggregates/channel.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "stores/deliveries/announcements.h"
#include "stores/deliveries/delivery.h"
#include "stores/deliveries/webhook_composer.h"
#include "workers/webhooks/webhook_sender.h"

namespace pixledger::workers {

// What is forwarded, and where to.
struct Forwarding {
  domain::WebhookEventSet events;
  domain::WebhookVersion version;
  std::string url;
  std::string secret;
};

// The one address that a developer's receiver has, which no channel knows. Keeps nothing. Used by one thread;
// the clock and the resolver outlive it.
class ForwardingTarget {
 public:
  // Of each attempt.
  using Report = std::function<void(const stores::Delivery& delivery, const PostResult& result)>;
  // Asked before an event is tried again that found nobody at the address; true gives up.
  using Stop = std::function<bool()>;

  // Throws Poco::Exception when the CA file cannot be read.
  ForwardingTarget(Forwarding forwarding, SenderOptions sender, const Clock& clock, const Resolver& resolver);

  // What is forwarded of an event that tells this, with the ids that it has at every start.
  std::vector<stores::Delivery> deliveries_of(const domain::RecordedEvent& event,
                                              const std::vector<stores::Announcement>& announcements) const;

  // Sends it until somebody answers, whatever that is; false when it was stopped before. `body`: the bytes
  // that all attempts send.
  bool forward(stores::Delivery delivery, const std::string& body, const Report& report, const Stop& stop);

 private:
  PostResult post(const stores::Delivery& delivery, const std::string& body);

  const Forwarding forwarding_;
  const Clock& clock_;
  const Resolver& resolver_;
  WebhookSender sender_;
};

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
