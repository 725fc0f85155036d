#pragma once

#include <optional>
#include <string>

#include "domain/decisions/command.h"
#include "http/routing/input.h"
#include "http/services/channel_targets.h"

namespace pixledger::http {

// What the body of POST asks for.
struct NewChannelBody {
  std::optional<domain::Label> name;
  std::string url;
  domain::WebhookEventSet events;  // the standard ones unless the body says otherwise
  std::optional<domain::EnvironmentSet> environments;
  domain::TargetVerdict target;  // what the network says of the URL's host
};

// The bodies of POST and PATCH. Finishes the input: nullopt when there are violations. A target that only
// looking at the network refuses is a violation as well when there are others; alone it is left to the
// command.
std::optional<NewChannelBody> read_new_channel(const ProjectTargets& targets, Input& input);
std::optional<domain::ChannelChange> read_channel_change(const ProjectTargets& targets, Input& input);

}  // namespace pixledger::http
