#pragma once

#include "domain/aggregates/team.h"

// What is done to a project's team, by one of its owners or by an operator: the edge sees to it.
namespace pixledger::domain {

// A member with another role gets this one; one who has it already stays as they are.
struct AddMember {
  ProjectId project;
  UserId user;
  Role role;
};
struct ChangeMemberRole {
  ProjectId project;
  UserId user;
  Role role;
};
struct RemoveMember {
  ProjectId project;
  UserId user;
};
// The edge gives the invitation once that is recorded.
struct InviteMember {
  ProjectId project;
  UserId user;
};

}  // namespace pixledger::domain
