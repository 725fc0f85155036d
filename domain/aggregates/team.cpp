#include "domain/aggregates/team.h"

#include <algorithm>

#include "base/text/enum_names.h"

namespace pixledger::domain {
namespace {

constexpr EnumNames<Role::kOwner, Role::kViewer> kRoleNames{"owner", "operator", "viewer"};

auto place_of(std::vector<Member>& members, const UserId& user) {
  return std::find_if(members.begin(), members.end(),
                      [&](const Member& member) { return member.user == user; });
}

struct ApplyToTeam {
  Team team;
  Timestamp at;

  Team operator()(const MemberAdded& event) {
    team.added = event.number;
    team.members.push_back({.user = event.user, .role = event.role, .added_at = at});
    return std::move(team);
  }
  Team operator()(const MemberRoleChanged& event) {
    const auto member = place_of(team.members, event.user);
    if (member != team.members.end()) member->role = event.role;
    return std::move(team);
  }
  Team operator()(const MemberRemoved& event) {
    const auto member = place_of(team.members, event.user);
    if (member != team.members.end()) team.members.erase(member);
    return std::move(team);
  }
  Team operator()(const MemberInvited&) { return std::move(team); }
};

}  // namespace

std::string_view to_string(Role role) { return kRoleNames.of(role); }

std::optional<Role> parse_role(std::string_view text) { return kRoleNames.parse(text); }

const Member* find_member(const Team* team, const UserId& user) {
  if (!team) return nullptr;
  const auto found = std::find_if(team->members.begin(), team->members.end(),
                                  [&](const Member& member) { return member.user == user; });
  return found == team->members.end() ? nullptr : &*found;
}

bool is_last_owner(const Team& team, const Member& member) {
  return member.role == Role::kOwner &&
         std::count_if(team.members.begin(), team.members.end(),
                       [](const Member& other) { return other.role == Role::kOwner; }) == 1;
}

std::optional<Team> apply(std::optional<Team> team, const TeamEvent& event, Timestamp at) {
  return std::visit(ApplyToTeam{team ? *std::move(team) : Team{}, at}, event);
}

}  // namespace pixledger::domain
