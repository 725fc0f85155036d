#pragma once

#include "domain/aggregates/event.h"
#include "tests/support/domain/sample_values.h"

// Of golden_events.h: who may sign in.
namespace pixledger::tests::golden {

using namespace domain;

template <class Add>
void add_team_events(const Add& add, const ProjectId& project) {
  const auto user = parsed<UserId>("cmb3k9x2a000alog1u5s2e7rx");
  const auto add_to_team = [&](const char* file, TeamEvent event) {
    add(file, team_stream(project), std::move(event));
  };
  add_to_team("MemberAdded",
              MemberAdded{.project = project, .user = user, .role = Role::kOperator, .number = 2});
  add_to_team("MemberRoleChanged", MemberRoleChanged{user, Role::kViewer});
  add_to_team("MemberRemoved", MemberRemoved{user});
  add_to_team("MemberInvited", MemberInvited{user});
}

}  // namespace pixledger::tests::golden
