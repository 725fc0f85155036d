#pragma once

#include <memory>
#include <vector>

#include "domain/aggregates/channel.h"
#include "http/front/caller.h"
#include "http/services/services.h"

namespace pixledger::http {

using SharedChannel = std::shared_ptr<const domain::Channel>;

// As of the request's arrival. Null if unknown; domain::guard_channel checks its project.
SharedChannel find_channel(const Services& services, const Caller& caller, const domain::ChannelId& id);
// Counts, as of now, the channels that test keys may change if not `told_of_live`, else the others.
std::size_t count_channels(const Services& services, const std::vector<domain::StreamName>& streams,
                           bool told_of_live);
// The channels that the caller may see, newest first.
std::vector<SharedChannel> channels_of(const Services& services, const Caller& caller);

// The channel right after a command about it, or before its events.
domain::Channel channel_as_of(const Services& services, const domain::ChannelId& id, Position as_of);

}  // namespace pixledger::http
