#include "domain/decisions/decide_team.h"

namespace pixledger::domain {

Decision decide(const Project* project, const Team* team, const AddMember& command, const Context& context) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  if (find_member(team, command.user))
    return decide(team, ChangeMemberRole{command.project, command.user, command.role}, context);
  if (team && team->members.size() >= kMembersMax) return refuse(Rejection::kMemberLimit);
  const MemberAdded added{.project = command.project,
                          .user = command.user,
                          .role = command.role,
                          .number = team ? team->added + 1 : 1};
  return record(team_stream(command.project), command.project, TeamEvent(added));
}

Decision decide(const Team* team, const ChangeMemberRole& command, const Context&) {
  const auto* member = find_member(team, command.user);
  if (!member) return refuse(Rejection::kMemberNotFound);
  if (member->role == command.role) return nothing_to_do();
  if (is_last_owner(*team, *member)) return refuse(Rejection::kLastOwner);
  return record(team_stream(command.project), command.project,
                TeamEvent(MemberRoleChanged{command.user, command.role}));
}

Decision decide(const Team* team, const RemoveMember& command, const Context&) {
  const auto* member = find_member(team, command.user);
  if (!member) return refuse(Rejection::kMemberNotFound);
  if (is_last_owner(*team, *member)) return refuse(Rejection::kLastOwner);
  return record(team_stream(command.project), command.project, TeamEvent(MemberRemoved{command.user}));
}

Decision decide(const Team* team, const InviteMember& command, const Context&) {
  if (!find_member(team, command.user)) return refuse(Rejection::kMemberNotFound);
  return record(team_stream(command.project), command.project, TeamEvent(MemberInvited{command.user}));
}

}  // namespace pixledger::domain
