#include "workers/webhooks/channel_directory.h"

#include <utility>

#include "eventstore/reading/state_reader.h"

namespace pixledger::workers {

const std::vector<domain::Channel>& ChannelDirectory::channels_at(const domain::ProjectId& project,
                                                                  domain::Position position) {
  const auto known = projects_.find(project);
  if (known != projects_.end()) return known->second;
  if (projects_.size() >= kProjectsMax) projects_.clear();
  std::vector<domain::Channel> channels;
  for (const auto& [claim, stream] : log_.claims_with_prefix(domain::channel_claim_prefix(project))) {
    // A channel that was added later has no state at this position.
    if (auto channel = eventstore::fold_as<domain::Channel>(log_, stream, position))
      channels.push_back(*std::move(channel));
  }
  return projects_.emplace(project, std::move(channels)).first->second;
}

}  // namespace pixledger::workers
