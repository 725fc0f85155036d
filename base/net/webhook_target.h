#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "base/net/resolver.h"
#include "base/values/ip_address.h"
#include "base/values/webhook_url.h"

namespace pixledger {

// What an operator opens beyond https to public addresses.
struct TargetPolicy {
  bool allow_http = false;  // development: hosts with underscores, too

  HostNames host_names() const { return allow_http ? HostNames::kWithUnderscores : HostNames::kStrict; }

  std::vector<Cidr> allowed;  // ranges that may be targets although they are not public, at any port
};

// A target whose every address was checked. The connection goes to one of these addresses and to no other:
// resolving again could give another answer.
struct PinnedTarget {
  WebhookUrl url;
  std::vector<IpAddress> addresses;  // at least one, in the order to try them
};

// Parses, resolves and checks. Public addresses are targets at port 80, 443 and those from 1024 on. A host
// with one bad address among good ones is refused as a whole.
std::variant<PinnedTarget, TargetRefused> check_webhook_target(std::string_view url,
                                                               const TargetPolicy& policy,
                                                               const Resolver& resolver);

}  // namespace pixledger
