#include "http/services/channel_targets.h"

#include <chrono>

namespace pixledger::http {
namespace {

// Merchants change their channels rarely; a name server that hangs holds up no more than so many requests
// for so long.
constexpr std::size_t kResolverThreadsMax = 4;
constexpr std::chrono::seconds kResolveTimeout{3};

}  // namespace

ChannelTargets::ChannelTargets(eventstore::TargetPolicy policy, const eventstore::Resolver& resolver)
    : policy_(std::move(policy)), resolver_(resolver, kResolverThreadsMax) {}

std::variant<domain::WebhookUrl, domain::TargetRefused> ChannelTargets::parse(std::string_view url) const {
  auto parsed = domain::parse_webhook_url(url);
  const auto* accepted = std::get_if<domain::WebhookUrl>(&parsed);
  if (accepted && !accepted->https && !policy_.allow_http)
    return domain::TargetRefused{"must begin with https://"};
  return parsed;
}

bool ChannelTargets::is_allowed(const std::string& url) {
  const auto deadline = std::chrono::steady_clock::now() + kResolveTimeout;
  try {
    const auto target =
        eventstore::check_webhook_target(url, policy_, eventstore::ResolverUntil(resolver_, deadline));
    return std::holds_alternative<eventstore::PinnedTarget>(target);
  } catch (const eventstore::ResolveTimeout&) {
    return false;
  }
}

}  // namespace pixledger::http
