#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "domain/values/ip_address.h"
#include "domain/values/webhook_url.h"
#include "eventstore/net/resolver.h"

namespace pixledger::eventstore {

// What an operator opens beyond https to public addresses.
struct TargetPolicy {
  bool allow_http = false;  // development: hosts with underscores, too

  domain::HostNames host_names() const {
    return allow_http ? domain::HostNames::kWithUnderscores : domain::HostNames::kStrict;
  }

  std::vector<domain::Cidr> allowed;  // ranges that may be targets although they are not public, at any port
};

// A target whose every address was checked. The connection goes to one of these addresses and to no other:
// resolving again could give another answer.
struct PinnedTarget {
  domain::WebhookUrl url;
  std::vector<domain::IpAddress> addresses;  // at least one, in the order to try them
};

// Parses, resolves and checks. Public addresses are targets at port 80, 443 and those from 1024 on. A host
// with one bad address among good ones is refused as a whole.
std::variant<PinnedTarget, domain::TargetRefused> check_webhook_target(std::string_view url,
                                                                       const TargetPolicy& policy,
                                                                       const Resolver& resolver);

}  // namespace pixledger::eventstore
