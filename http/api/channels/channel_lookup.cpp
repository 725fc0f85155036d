#include "http/api/channels/channel_lookup.h"

#include <algorithm>

#include "domain/decisions/decide.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "stores/deliveries/project_channels.h"

namespace pixledger::http {
namespace {

SharedChannel find_at(const Services& services, Head as_of, const domain::StreamName& stream) {
  auto state = services.states.find(stream, as_of);
  const auto* channel = state ? std::get_if<domain::Channel>(state.get()) : nullptr;
  if (!channel) return nullptr;
  return {std::move(state), channel};
}

}  // namespace

SharedChannel find_channel(const Services& services, const Caller& caller, const domain::ChannelId& id) {
  return find_at(services, caller.arrival, domain::channel_stream(id));
}

std::size_t count_channels(const Services& services, const std::vector<domain::StreamName>& streams,
                           bool told_of_live) {
  const auto head = services.log.head();
  return static_cast<std::size_t>(std::count_if(streams.begin(), streams.end(), [&](const auto& stream) {
    const auto channel = find_at(services, head, stream);
    return channel && channel->was_told_of_live == told_of_live;
  }));
}

std::vector<SharedChannel> channels_of(const Services& services, const Caller& caller) {
  std::vector<SharedChannel> channels;
  for (const auto& stream : stores::project_channels(services.log, caller.project).streams) {
    auto channel = find_at(services, caller.arrival, stream);
    if (!domain::guard_channel(channel.get(), caller.on_behalf())) channels.push_back(std::move(channel));
  }
  std::sort(channels.begin(), channels.end(), [](const auto& a, const auto& b) { return a->id > b->id; });
  return channels;
}

domain::Channel channel_as_of(const Services& services, const domain::ChannelId& id, Position as_of) {
  auto channel = services.history.as<domain::Channel>(domain::channel_stream(id), as_of);
  if (!channel) throw eventstore::LogCorrupt("a channel that a command was about is not in the ledger");
  return *std::move(channel);
}

}  // namespace pixledger::http
