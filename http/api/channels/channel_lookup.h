#pragma once

#include <memory>
#include <vector>

#include "domain/aggregates/channel.h"
#include "http/front/caller.h"
#include "http/services/services.h"

namespace pixledger::http {

using SharedChannel = std::shared_ptr<const domain::Channel>;

// Channels as of the request's arrival, those that there are for the caller alone.
SharedChannel find_channel(const Services& services, const Caller& caller, const domain::ChannelId& id);
std::vector<SharedChannel> channels_of(const Services& services, const Caller& caller);  // newest first

// The channel right after a command about it was done, or before its events.
domain::Channel channel_as_of(const Services& services, const domain::ChannelId& id, domain::Position as_of);

}  // namespace pixledger::http
