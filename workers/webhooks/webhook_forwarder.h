#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "domain/aggregates/channel.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"
#include "eventstore/net/webhook_target.h"
#include "eventstore/platform/clock.h"
#include "projections/deliveries/delivery.h"
#include "workers/webhooks/webhook_composer.h"
#include "workers/webhooks/webhook_sender.h"

namespace pixledger::workers {

// What is forwarded, and where to.
struct Forwarding {
  domain::ProjectId project;
  domain::WebhookEventSet events;
  domain::WebhookVersion version;
  std::string url;
  std::string secret;
  std::vector<eventstore::EndedEpoch> ended_epochs{};  // of the log
};

// Sends a project's events, as its channels get them, to one address that no channel knows: for those who
// develop a receiver. One after the other; keeps nothing. Used by one thread. The log, the keyring, the clock
// and the resolver outlive it.
class WebhookForwarder {
 public:
  static constexpr std::size_t kStepEventsMax = 64;

  // Of each attempt.
  using Report = std::function<void(const projections::Delivery& delivery, const PostResult& result)>;
  // Asked before an event is tried again that found nobody at the address; true gives up.
  using Stop = std::function<bool()>;

  // Events after this position. Throws Poco::Exception when the CA file cannot be read.
  WebhookForwarder(const eventstore::Log& log, const eventstore::Keyring& keyring,
                   const eventstore::Clock& clock, const eventstore::Resolver& resolver, SenderOptions sender,
                   Forwarding forwarding, domain::Position after);

  // Forwards the next event, all that it tells, or passes over some that are not meant; false when there are
  // none, or when it was stopped. An event that gets any answer is done with; where nobody answers it is
  // tried again until somebody does.
  bool step(const Report& report, const Stop& stop);

  domain::Position position() const { return after_; }

 private:
  std::vector<projections::Delivery> deliveries_of(const domain::RecordedEvent& event);
  // Whether it was answered.
  bool forward(projections::Delivery delivery, const Report& report, const Stop& stop);
  PostResult post(const projections::Delivery& delivery);

  const eventstore::Log& log_;
  const eventstore::Clock& clock_;
  const eventstore::Resolver& resolver_;
  const Forwarding forwarding_;
  const domain::Channel channel_;  // one that is nowhere but here
  eventstore::StateHistory history_;
  WebhookComposer composer_;
  WebhookSender sender_;
  domain::Position after_;
};

}  // namespace pixledger::workers
