#pragma once

#include <cstdint>
#include <vector>

#include "domain/values/cuid.h"
#include "eventstore/log/log.h"

namespace pixledger::stores {

// The channels of a project, as the claims tell. Claims are for ever, so a deletion is a claim as well, and
// looking at them takes as long as the project ever had channels: not for within a write.
struct ProjectChannels {
  std::vector<domain::StreamName> streams;  // of those that there are, in the order of their ids
  std::uint32_t ever = 0;                   // how many there ever were
};
ProjectChannels project_channels(const eventstore::Log& log, const domain::ProjectId& project);

}  // namespace pixledger::stores
