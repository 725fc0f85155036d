#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "domain/ip_address.h"
#include "workers/resolver.h"
#include "workers/webhook_url.h"

namespace pixledger::workers {

// What an operator opens beyond https to public addresses.
struct TargetPolicy {
  bool allow_http = false;
  std::vector<domain::Cidr> allowed;  // ranges that may be targets although they are not public
};

// A target whose every address was checked. The connection goes to one of these addresses and to no other:
// resolving again could give another answer.
struct PinnedTarget {
  WebhookUrl url;
  std::vector<domain::IpAddress> addresses;  // at least one, in the order to try them
};

// Parses, resolves and checks. A host with one bad address among good ones is refused as a whole.
std::variant<PinnedTarget, TargetRefused> check_webhook_target(std::string_view url,
                                                               const TargetPolicy& policy,
                                                               const Resolver& resolver);

}  // namespace pixledger::workers
