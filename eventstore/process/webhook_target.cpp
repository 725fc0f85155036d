#include "eventstore/process/webhook_target.h"

#include <algorithm>

namespace pixledger::eventstore {
namespace {

bool is_acceptable(const domain::IpAddress& address, const TargetPolicy& policy) {
  if (domain::is_public_address(address)) return true;
  return std::any_of(policy.allowed.begin(), policy.allowed.end(),
                     [&](const domain::Cidr& range) { return range.contains(address); });
}

}  // namespace

std::variant<PinnedTarget, domain::TargetRefused> check_webhook_target(std::string_view url,
                                                                       const TargetPolicy& policy,
                                                                       const Resolver& resolver) {
  auto parsed = domain::parse_webhook_url(url);
  if (auto* refused = std::get_if<domain::TargetRefused>(&parsed)) return std::move(*refused);
  PinnedTarget target{std::get<domain::WebhookUrl>(std::move(parsed)), {}};
  if (!target.url.https && !policy.allow_http) return domain::TargetRefused{"must begin with https://"};

  if (const auto address = target.url.address())
    target.addresses.push_back(*address);
  else
    target.addresses = resolver.resolve(target.url.host);
  if (target.addresses.empty()) return domain::TargetRefused{"must have a host that resolves to an address"};
  for (const auto& address : target.addresses) {
    if (!is_acceptable(address, policy))
      return domain::TargetRefused{"must resolve to public addresses only"};
  }
  return target;
}

}  // namespace pixledger::eventstore
