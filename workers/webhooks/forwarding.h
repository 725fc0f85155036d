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

// Which events are forwarded, and where to.
struct Forwarding {
  domain::WebhookEventSet events;
  domain::WebhookVersion version;
  std::string url;
  std::string secret;
};

// A developer's receiver, an address without a channel. Stores nothing. Used by one thread; clock and
// resolver must outlive it.
class ForwardingTarget {
 public:
  // Called for each attempt.
  using Report = std::function<void(const stores::Delivery& delivery, const PostResult& result)>;
  // Called before retrying an event for which the receiver was unreachable; true gives up.
  using Stop = std::function<bool()>;

  // Throws Poco::Exception if the CA file cannot be read.
  ForwardingTarget(Forwarding forwarding, SenderOptions sender, const Clock& clock, const Resolver& resolver);

  // The deliveries of an event's announcements, with the same ids at every start.
  std::vector<stores::Delivery> deliveries_of(const domain::RecordedEvent& event,
                                              const std::vector<stores::Announcement>& announcements) const;

  // Sends it until the receiver gives any answer; false if stopped before. `body` is the bytes that all
  // attempts send.
  bool forward(stores::Delivery delivery, const std::string& body, const Report& report, const Stop& stop);

 private:
  PostResult post(const stores::Delivery& delivery, const std::string& body);

  const Forwarding forwarding_;
  const Clock& clock_;
  const Resolver& resolver_;
  WebhookSender sender_;
};

// Sends a project's events to one address, as its channels get them: for developers of a receiver. One at a
// time; stores nothing. Used by one thread. Log, keyring and target must outlive it.
class WebhookForwarder {
 public:
  static constexpr std::size_t kStepEventsMax = 64;

  // Starts after this position. `ended_epochs` are the log's, for event ids.
  WebhookForwarder(const eventstore::Log& log, const eventstore::Keyring& keyring,
                   std::vector<eventstore::EndedEpoch> ended_epochs, domain::ProjectId project,
                   ForwardingTarget& target, Position after);

  // Forwards all announcements of the next event, or skips some events that are not selected. Returns false
  // if there are none, or if stopped. Any answer completes an event; without an answer it is retried.
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
