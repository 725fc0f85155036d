#pragma once

#include <memory>
#include <vector>

#include "domain/aggregates/channel.h"
#include "http/front/caller.h"
#include "http/services/services.h"

namespace pixledger::http {

using SharedChannel = std::shared_ptr<const domain::Channel>;

// As of the request's arrival. Null when there is none; whose it is, domain::guard_channel says.
SharedChannel find_channel(const Services& services, const Caller& caller, const domain::ChannelId& id);
// How many of these channels a test key may touch, or how many others there are; as of now.
std::size_t count_channels(const Services& services, const std::vector<domain::StreamName>& streams,
                           bool told_of_live);
// Those that the caller may see, newest first.
std::vector<SharedChannel> channels_of(const Services& services, const Caller& caller);

// The channel right after a command about it was done, or before its events.
domain::Channel channel_as_of(const Services& services, const domain::ChannelId& id, Position as_of);

}  // namespace pixledger::http
