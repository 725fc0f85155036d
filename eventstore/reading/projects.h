#pragma once

#include <optional>
#include <vector>

#include "base/platform/time_zone.h"
#include "domain/aggregates/project.h"
#include "domain/aggregates/team.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::eventstore {

struct ProjectRole {
  domain::ProjectId project;
  domain::Role role;
};

// Returns the projects that the user is a member of as of `head`, sorted by id. `head` is the log's head as
// the caller has just read it.
std::vector<ProjectRole> memberships_of(const Log& log, StateReader& states, const Head& head,
                                        const domain::UserId& user);

// Whether any project has a member.
bool has_members(const Log& log);

// The time zone of a store. nullopt if this machine's time zone database does not have it.
std::optional<TimeZone> store_zone(const domain::StoreSettings& settings);

}  // namespace pixledger::eventstore
