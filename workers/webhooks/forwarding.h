#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/net/webhook_target.h"
#include "base/platform/clock.h"
#include "domain/aggregates/channel.h"
#include "domain/aggregates/event.h"
#include "stores/deliveries/announcement.h"
#include "stores/deliveries/delivery.h"
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

}  // namespace pixledger::workers
