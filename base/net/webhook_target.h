#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "base/net/resolver.h"
#include "base/values/ip_address.h"
#include "base/values/webhook_url.h"

namespace pixledger {

// Targets that an operator allows besides https to public addresses.
struct TargetPolicy {
  bool allow_http = false;  // for development; also allows host names with underscores

  HostNames host_names() const { return allow_http ? HostNames::kWithUnderscores : HostNames::kStrict; }

  std::vector<Cidr> allowed;  // ranges allowed although not public, at any port
};

// A target whose addresses were all checked. Connect only to these: resolving again could give other
// addresses.
struct PinnedTarget {
  WebhookUrl url;
  std::vector<IpAddress> addresses;  // at least one, in the order to try them
};

// Parses, resolves and checks a URL. Public addresses are allowed at ports 80, 443 and from 1024 on. One
// forbidden address rejects the host.
std::variant<PinnedTarget, TargetRefused> check_webhook_target(std::string_view url,
                                                               const TargetPolicy& policy,
                                                               const Resolver& resolver);

}  // namespace pixledger
