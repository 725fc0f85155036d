#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/net/resolver.h"
#include "base/net/webhook_target.h"
#include "base/values/webhook_url.h"
#include "domain/decisions/command.h"

namespace pixledger::http {

// What to tell about a target whose host is not allowed, whatever the name servers said: the answer is no
// way to explore a network.
constexpr std::string_view kTargetRule =
    "must have a host that resolves to public addresses only, and port 80, 443 or one from 1024 on";

// Says of the URL that a channel names whether webhooks may go there. Thread-safe.
class ChannelTargets {
 public:
  // The resolver outlives it.
  ChannelTargets(TargetPolicy policy, const Resolver& resolver);

  // What the text alone says: the same at every time.
  std::variant<WebhookUrl, TargetRefused> parse(std::string_view url) const;

  // Whether every address of the host, with the port, is one that webhooks may go to. Refused as well when
  // its name cannot be resolved; unknown when that takes more than a few seconds, or the project has as many
  // such questions open as one may have.
  domain::TargetVerdict verdict_of(const std::string& url, const domain::ProjectId& project);

 private:
  const TargetPolicy policy_;
  BoundedResolver resolver_;
};

// The same for the channels of one project.
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
