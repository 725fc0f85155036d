#include "base/net/webhook_target.h"

#include "base/net/http_url.h"

namespace pixledger {
namespace {

// Other ports below 1024 belong to well-known services (mail, shells, directories), which receive no webhooks
// and could misinterpret them.
constexpr std::uint16_t kFirstFreePort = 1024;
bool is_acceptable_port(std::uint16_t port) {
  return port == kHttpPort || port == kHttpsPort || port >= kFirstFreePort;
}

}  // namespace

std::variant<PinnedTarget, TargetRefused> check_webhook_target(std::string_view url,
                                                               const TargetPolicy& policy,
                                                               const Resolver& resolver) {
  auto parsed = parse_webhook_url(url, policy.host_names());
  if (auto* refused = std::get_if<TargetRefused>(&parsed)) return std::move(*refused);
  PinnedTarget target{std::get<WebhookUrl>(std::move(parsed)), {}};
  if (!target.url.https && !policy.allow_http) return TargetRefused{"must begin with https://"};

  if (const auto address = target.url.address())
    target.addresses.push_back(*address);
  else
    target.addresses = resolver.resolve(target.url.host);
  if (target.addresses.empty()) return TargetRefused{"must have a host that resolves to an address"};
  for (const auto& address : target.addresses) {
    if (is_within(address, policy.allowed)) continue;
    if (!is_public_address(address)) return TargetRefused{"must resolve to public addresses only"};
    if (!is_acceptable_port(target.url.port))
      return TargetRefused{"must have port 80, 443, or one from 1024 on"};
  }
  return target;
}

}  // namespace pixledger
