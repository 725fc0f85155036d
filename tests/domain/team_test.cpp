#include <catch2/catch.hpp>

#include "domain/rules/event_rules.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

UserId user(unsigned number) { return parsed<UserId>("cuser000" + std::to_string(1000 + number)); }
MemberAdded added(unsigned number, Role role, std::uint32_t as = 1) {
  return {.project = sample_project_id(), .user = user(number), .role = role, .number = as};
}
AddMember add(unsigned number, Role role) { return {sample_project_id(), user(number), role}; }
ChangeMemberRole change(unsigned number, Role role) { return {sample_project_id(), user(number), role}; }
RemoveMember remove(unsigned number) { return {sample_project_id(), user(number)}; }

Given a_project() { return given({on_project(sample_project())}); }
// The first user owns the project, the second works for it.
Given a_team() {
  return a_project().and_given({on_team(added(1, Role::kOwner)), on_team(added(2, Role::kOperator, 2))});
}

const Team& team_after(const Then& then) {
  const auto* found = then.world().find<Team>(team_stream(sample_project_id()));
  REQUIRE(found);
  return *found;
}

}  // namespace

TEST_CASE("a member is added with a role and a number, and the project must exist") {
  a_project().when(add(1, Role::kOwner)).done().records({on_team(added(1, Role::kOwner))});
  given({}).when(add(1, Role::kOwner)).refused(Rejection::kProjectNotFound);
}

TEST_CASE("an existing member gets the requested role, or stays unchanged") {
  a_team().when(add(2, Role::kOperator)).done().records({});
  a_team().when(add(2, Role::kViewer)).done().records({on_team(MemberRoleChanged{user(2), Role::kViewer})});
  a_team().when(add(1, Role::kViewer)).refused(Rejection::kLastOwner);
}

TEST_CASE("a member added again gets a new number") {
  a_team()
      .and_given({on_team(MemberRemoved{user(2)})})
      .when(add(2, Role::kViewer))
      .done()
      .records({on_team(added(2, Role::kViewer, 3))});
}

TEST_CASE("the last owner can neither be removed nor lose the role") {
  a_team().when(remove(1)).refused(Rejection::kLastOwner);
  a_team().when(change(1, Role::kOperator)).refused(Rejection::kLastOwner);
  a_team().when(change(1, Role::kOwner)).done().records({});
  const auto with_another = a_team().and_given({on_team(MemberRoleChanged{user(2), Role::kOwner})});
  with_another.when(remove(1)).done().records({on_team(MemberRemoved{user(1)})});
  with_another.when(change(1, Role::kViewer))
      .done()
      .records({on_team(MemberRoleChanged{user(1), Role::kViewer})});
}

TEST_CASE("another invitation of a member is recorded, and changes nothing") {
  const auto then = a_team().when(InviteMember{sample_project_id(), user(2)}).done();
  then.records({on_team(MemberInvited{user(2)})});
  CHECK(find_member(&team_after(then), user(2))->role == Role::kOperator);
  a_team().when(InviteMember{sample_project_id(), user(3)}).refused(Rejection::kMemberNotFound);
}

TEST_CASE("a user who is no member is neither changed nor removed") {
  a_team().when(change(3, Role::kViewer)).refused(Rejection::kMemberNotFound);
  a_team().when(remove(3)).refused(Rejection::kMemberNotFound);
  a_project().when(remove(1)).refused(Rejection::kMemberNotFound);
}

TEST_CASE("a project has at most a hundred members") {
  std::vector<NewEvent> events;
  for (unsigned number = 1; number <= kMembersMax; ++number)
    events.push_back(on_team(added(number, Role::kOwner, number)));
  const auto full = a_project().and_given(events);
  full.when(add(101, Role::kViewer)).refused(Rejection::kMemberLimit);
  full.when(add(100, Role::kViewer)).done();
  const auto then = full.when(remove(7)).done();
  CHECK(team_after(then).members.size() == 99);
  CHECK(find_member(&team_after(then), user(7)) == nullptr);
}

TEST_CASE("a team's events are valid only in the order of decisions") {
  std::optional<AggregateState> team;
  for (const auto& event : {added(1, Role::kOwner), added(2, Role::kOperator, 2)})
    team = apply(std::move(team), TeamEvent(event), kStart);
  const auto is_legal = [&](TeamEvent event, StreamName stream = team_stream(sample_project_id())) {
    const RecordedEvent recorded{.position = Position(9),
                                 .stream = std::move(stream),
                                 .version = 3,
                                 .recorded_at = kStart,
                                 .project = sample_project_id(),
                                 .actor = "operator-test",
                                 .request_id = "",
                                 .event = std::move(event)};
    return !broken_rule(&*team, recorded);
  };
  CHECK(is_legal(added(3, Role::kViewer, 3)));
  CHECK_FALSE(is_legal(added(3, Role::kViewer, 2)));
  CHECK_FALSE(is_legal(added(2, Role::kViewer, 3)));
  CHECK(is_legal(MemberRoleChanged{user(2), Role::kOwner}));
  CHECK_FALSE(is_legal(MemberRoleChanged{user(2), Role::kOperator}));
  CHECK_FALSE(is_legal(MemberRoleChanged{user(1), Role::kViewer}));
  CHECK_FALSE(is_legal(MemberRoleChanged{user(3), Role::kViewer}));
  CHECK(is_legal(MemberRemoved{user(2)}));
  CHECK_FALSE(is_legal(MemberRemoved{user(1)}));
  CHECK_FALSE(is_legal(MemberRemoved{user(3)}));
  CHECK(is_legal(MemberInvited{user(1)}));
  CHECK_FALSE(is_legal(MemberInvited{user(3)}));
  CHECK_FALSE(is_legal(MemberRemoved{user(2)}, team_stream(parsed<ProjectId>("cother000000"))));
}

}  // namespace pixledger::tests
