#pragma once

#include <unordered_map>
#include <vector>

#include "domain/aggregates/channel.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

namespace pixledger::workers {

// The channels of each project as of the event that is being handled, without those of checkout sessions.
// Follows the log in order; used by one thread.
class ChannelDirectory {
 public:
  static constexpr std::size_t kProjectsMax = 10'000;

  explicit ChannelDirectory(const eventstore::Log& log) : log_(log) {}

  // Those that existed at the position, which is never before one asked for earlier. Valid until the next
  // call.
  const std::vector<domain::Channel>& channels_at(const domain::ProjectId& project, Position position);

  // A channel's event, each as its turn comes.
  void apply(const domain::RecordedEvent& event);

 private:
  const eventstore::Log& log_;
  std::unordered_map<domain::ProjectId, std::vector<domain::Channel>> projects_;
};

}  // namespace pixledger::workers
