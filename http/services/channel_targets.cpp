#include "http/services/channel_targets.h"

#include <chrono>

namespace pixledger::http {
namespace {

// Merchants change their channels rarely. A name server that hangs delays at most this many requests for this
// long, and one merchant's at most a share of them.
constexpr std::size_t kResolverThreadsMax = 16;
constexpr std::size_t kResolversPerProject = 2;
constexpr std::chrono::seconds kResolveTimeout{3};

}  // namespace

ChannelTargets::ChannelTargets(TargetPolicy policy, const Resolver& resolver)
    : policy_(std::move(policy)), resolver_(resolver, {kResolverThreadsMax, kResolversPerProject}) {}

std::variant<WebhookUrl, TargetRefused> ChannelTargets::parse(std::string_view url) const {
  auto parsed = parse_webhook_url(url, policy_.host_names());
  const auto* accepted = std::get_if<WebhookUrl>(&parsed);
  if (accepted && !accepted->https && !policy_.allow_http) return TargetRefused{"must begin with https://"};
  return parsed;
}

domain::TargetVerdict ChannelTargets::verdict_of(const std::string& url, const domain::ProjectId& project) {
  const auto deadline = std::chrono::steady_clock::now() + kResolveTimeout;
  try {
    const auto target =
        check_webhook_target(url, policy_, ResolverUntil(resolver_, deadline, project.text()));
    return std::holds_alternative<PinnedTarget>(target) ? domain::TargetVerdict::kAllowed
                                                        : domain::TargetVerdict::kRefused;
  } catch (const ResolveTimeout&) {
    return domain::TargetVerdict::kUnknown;
  }
}

}  // namespace pixledger::http
