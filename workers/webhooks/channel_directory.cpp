#include "workers/webhooks/channel_directory.h"

#include <algorithm>
#include <utility>

#include "eventstore/reading/state_reader.h"
#include "stores/deliveries/project_channels.h"

namespace pixledger::workers {

const std::vector<domain::Channel>& ChannelDirectory::channels_at(const domain::ProjectId& project,
                                                                  Position position) {
  const auto known = projects_.find(project);
  if (known != projects_.end()) return known->second;
  if (projects_.size() >= kProjectsMax) projects_.clear();
  std::vector<domain::Channel> channels;
  for (const auto& stream : stores::project_channels(log_, project).streams) {
    // One that was added later has no state at this position. One that has been deleted since is told of
    // nothing more in any case.
    if (auto channel = eventstore::fold_as<domain::Channel>(log_, stream, position))
      channels.push_back(*std::move(channel));
  }
  return projects_.emplace(project, std::move(channels)).first->second;
}

void ChannelDirectory::apply(const domain::RecordedEvent& event) {
  const auto& change = std::get<domain::ChannelEvent>(event.event);
  const auto* added = std::get_if<domain::ChannelAdded>(&change);
  const auto known = projects_.find(event.project);
  if (known == projects_.end() || (added && added->checkout_session)) return;
  auto& channels = known->second;
  const auto found = std::find_if(channels.begin(), channels.end(), [&](const domain::Channel& channel) {
    return channel.id.text() == event.stream.key();
  });
  std::optional<domain::Channel> channel;
  if (found != channels.end()) {
    channel = std::move(*found);
    channels.erase(found);
  }
  channel = domain::apply(std::move(channel), change, event.recorded_at);
  if (channel) channels.push_back(*std::move(channel));
}

}  // namespace pixledger::workers
