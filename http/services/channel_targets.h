#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "domain/values/webhook_url.h"
#include "eventstore/net/bounded_resolver.h"
#include "eventstore/net/webhook_target.h"

namespace pixledger::http {

// What to tell about a target whose host is not allowed, whatever the name servers said: the answer is no
// way to explore a network.
constexpr std::string_view kTargetRule =
    "must have a host that resolves to public addresses only, and port 80, 443 or one from 1024 on";

// Says of the URL that a channel names whether webhooks may go there. Thread-safe.
class ChannelTargets {
 public:
  // The resolver outlives it.
  ChannelTargets(eventstore::TargetPolicy policy, const eventstore::Resolver& resolver);

  // What the text alone says: the same at every time.
  std::variant<domain::WebhookUrl, domain::TargetRefused> parse(std::string_view url) const;

  // Whether every address of the host, with the port, is one that webhooks may go to. False as well when its
  // name cannot be resolved now or within a few seconds.
  bool is_allowed(const std::string& url);

 private:
  const eventstore::TargetPolicy policy_;
  eventstore::BoundedResolver resolver_;
};

}  // namespace pixledger::http
