#pragma once

#include "domain/aggregates/project.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decision.h"

// The decisions about a project's team. Pure; guards in documented order.
namespace pixledger::domain {

Decision decide(const Project* project, const Team* team, const AddMember&, const Context&);
Decision decide(const Team* team, const ChangeMemberRole&, const Context&);
Decision decide(const Team* team, const RemoveMember&, const Context&);
Decision decide(const Team* team, const InviteMember&, const Context&);

}  // namespace pixledger::domain
