#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/net/resolver.h"
#include "base/net/webhook_target.h"
#include "base/values/webhook_url.h"
#include "domain/decisions/command.h"

namespace pixledger::http {

// The one message for a host that is not allowed, whatever its name resolves to. Otherwise the reply would
// let callers explore the network.
constexpr std::string_view kTargetRule =
    "must have a host that resolves to public addresses only, and port 80, 443 or one from 1024 on";

// Decides whether webhooks may go to a channel's URL. Thread-safe.
class ChannelTargets {
 public:
  // The resolver outlives it.
  ChannelTargets(TargetPolicy policy, const Resolver& resolver);

  // Checks the text only, so the result never changes.
  std::variant<WebhookUrl, TargetRefused> parse(std::string_view url) const;

  // Checks that all addresses of the host, with the port, are allowed. Refused also if the name cannot be
  // resolved. Unknown if that takes more than a few seconds, or the project has too many lookups open.
  domain::TargetVerdict verdict_of(const std::string& url, const domain::ProjectId& project);

 private:
  const TargetPolicy policy_;
  BoundedResolver resolver_;
};

// ChannelTargets for one project.
class ProjectTargets {
 public:
  ProjectTargets(ChannelTargets& targets, const domain::ProjectId& project)
      : targets_(targets), project_(project) {}
  std::variant<WebhookUrl, TargetRefused> parse(std::string_view url) const { return targets_.parse(url); }
  domain::TargetVerdict verdict_of(const std::string& url) const {
    return targets_.verdict_of(url, project_);
  }

 private:
  ChannelTargets& targets_;
  const domain::ProjectId& project_;
};

}  // namespace pixledger::http
