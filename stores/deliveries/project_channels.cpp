#include "stores/deliveries/project_channels.h"

#include <string>
#include <unordered_set>

#include "domain/aggregates/event.h"

namespace pixledger::stores {

ProjectChannels project_channels(const eventstore::Log& log, const domain::ProjectId& project) {
  auto added = log.claims_with_prefix(domain::channel_claim_prefix(project));
  std::unordered_set<std::string> deleted;
  for (const auto& [claim, stream] : log.claims_with_prefix(domain::deleted_channel_claim_prefix(project)))
    deleted.insert(stream.text());
  ProjectChannels channels;
  channels.ever = static_cast<std::uint32_t>(added.size());
  for (auto& [claim, stream] : added) {
    if (deleted.count(stream.text()) == 0) channels.streams.push_back(std::move(stream));
  }
  return channels;
}

}  // namespace pixledger::stores
