#include "domain/rules/team_rules.h"

namespace pixledger::domain {
namespace {

constexpr const char* kNoMember = "there was no such member";
constexpr const char* kLastOwner = "it leaves the project without an owner";

struct TeamRules {
  const Team* team;

  Problem operator()(const MemberAdded& event) const {
    return first_broken({{!find_member(team, event.user), "it was a member already"},
                         {event.number == (team ? team->added + 1 : 1), "its number is not the next"},
                         {!team || team->members.size() < kMembersMax, "the project had all it can have"}});
  }
  Problem operator()(const MemberRoleChanged& event) const {
    const auto* member = find_member(team, event.user);
    return first_broken({{member != nullptr, kNoMember},
                         {member && member->role != event.role, "it changes nothing"},
                         {member && !is_last_owner(*team, *member), kLastOwner}});
  }
  Problem operator()(const MemberInvited& event) const {
    return first_broken({{find_member(team, event.user) != nullptr, kNoMember}});
  }
  Problem operator()(const MemberRemoved& event) const {
    const auto* member = find_member(team, event.user);
    return first_broken(
        {{member != nullptr, kNoMember}, {member && !is_last_owner(*team, *member), kLastOwner}});
  }
};

}  // namespace

Problem broken_team_rule(const Team* team, const TeamEvent& event) {
  return std::visit(TeamRules{team}, event);
}

}  // namespace pixledger::domain
