#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/aggregates/field.h"
#include "domain/values/cuid.h"

// The users that may sign in for a project. The ledger knows only opaque ids: identities and credentials must
// be changeable and erasable, and events are not.
namespace pixledger::domain {

constexpr std::size_t kMembersMax = 100;

// What a member may do. Stored by number.
enum class Role : std::uint8_t {
  kOwner = 1,     // everything
  kOperator = 2,  // charges, customers and webhooks; not keys, team or store
  kViewer = 3,    // reads, without personal data
};
std::string_view to_string(Role role);  // "owner"
std::optional<Role> parse_role(std::string_view text);

struct MemberAdded {
  ProjectId project;
  UserId user;
  Role role;
  std::uint32_t number;  // counts all members ever added, from 1

  static constexpr auto fields(auto with) {
    return with(envelope_field("projectId", &MemberAdded::project),
                field("userId", &MemberAdded::user).stored_as("user"), field("role", &MemberAdded::role),
                field("number", &MemberAdded::number).not_in_feed());
  }
};
struct MemberRoleChanged {
  UserId user;
  Role role;  // from now on

  static constexpr auto fields(auto with) {
    return with(field("userId", &MemberRoleChanged::user).stored_as("user"),
                field("role", &MemberRoleChanged::role));
  }
};
struct MemberRemoved {
  UserId user;

  static constexpr auto fields(auto with) {
    return with(field("userId", &MemberRemoved::user).stored_as("user"));
  }
};
// The member lost their credentials and gets an invitation to set up new ones.
struct MemberInvited {
  UserId user;

  static constexpr auto fields(auto with) {
    return with(field("userId", &MemberInvited::user).stored_as("user"));
  }
};
using TeamEvent = std::variant<MemberAdded, MemberRoleChanged, MemberRemoved, MemberInvited>;

struct Member {
  UserId user;
  Role role;
  Timestamp added_at;

  static constexpr auto fields(auto with) {
    return with(field("userId", &Member::user), field("role", &Member::role),
                field("addedAt", &Member::added_at));
  }
};

struct Team {
  std::vector<Member> members{};  // in the order in which they were added
  std::uint32_t added = 0;        // ever

  static constexpr auto fields(auto with) {
    return with(field("members", &Team::members), field("added", &Team::added));
  }
};

// nullptr if the user is no member or there is no team.
const Member* find_member(const Team* team, const UserId& user);
// Whether removing this member would leave the team without an owner.
bool is_last_owner(const Team& team, const Member& member);

std::optional<Team> apply(std::optional<Team> team, const TeamEvent& event, Timestamp at);

}  // namespace pixledger::domain
