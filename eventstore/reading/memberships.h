#pragma once

#include <vector>

#include "domain/aggregates/team.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::eventstore {

struct ProjectRole {
  domain::ProjectId project;
  domain::Role role;
};

// The projects that the user is a member of as of `head`, the log's head as the caller has just read it, in
// the order of their ids.
std::vector<ProjectRole> memberships_of(const Log& log, StateReader& states, const Head& head,
                                        const domain::UserId& user);

}  // namespace pixledger::eventstore
