#include "tools/operations/users.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "domain/decisions/rejection_table.h"
#include "eventstore/keys/user_tokens.h"
#include "eventstore/reading/memberships.h"
#include "eventstore/reading/state_reader.h"
#include "stores/deliveries/channel_secret.h"
#include "tools/cli/aggregates.h"

namespace pixledger::tools {
namespace {

using domain::ProjectId;
using domain::UserId;
using stores::AccountRepository;
using Invites = AccountRepository::Invites;

constexpr std::size_t kUsersAtATime = 1'000;

std::vector<ProjectId> projects_of(const eventstore::Log& log, const UserId& user) {
  eventstore::StateReader states(log);
  std::vector<ProjectId> projects;
  for (const auto& membership : eventstore::memberships_of(log, states, log.head(), user))
    projects.push_back(membership.project);
  return projects;
}

// Looked at before the first of several removals, so that a refusal leaves all as it was.
bool is_last_owner_of(const eventstore::Log& log, const ProjectId& project, const UserId& user) {
  const auto team = team_of(log, project);
  const auto* member = domain::find_member(&team, user);
  return member && domain::is_last_owner(team, *member);
}

// E-mails are never proven: who may invite in one project may have set what signs in for it, or may be signed
// in to set it, which is nothing for another to rely on.
std::optional<ProjectId> other_project_of(const eventstore::Log& log, const UserInvitation& invitation,
                                          const UserId& user) {
  const auto projects = projects_of(log, user);
  const auto other = std::find_if(projects.begin(), projects.end(),
                                  [&](const ProjectId& each) { return each != invitation.project; });
  return other == projects.end() ? std::nullopt : std::optional(*other);
}

std::optional<domain::Role> other_role_of(const eventstore::Log& log, const UserInvitation& invitation,
                                          const UserId& user) {
  const auto team = team_of(log, invitation.project);
  const auto* member = domain::find_member(&team, user);
  return member && member->role != invitation.role ? std::optional(member->role) : std::nullopt;
}

std::optional<InvitedUser> refuse_relying_on(const ProjectId& other, const UserInvitation& invitation) {
  say_no(invitation.email.text() + " signs in for the project " + other.text() +
         ", whose owners may have set how: invite with --reset, so that they begin anew in both");
  return std::nullopt;
}

bool remove_everywhere(CommandContext& context, eventstore::Ledger& ledger, const UserId& user) {
  const auto projects = projects_of(*ledger.log, user);
  for (const auto& project : projects) {
    if (!is_last_owner_of(*ledger.log, project, user)) continue;
    say_no(project.text() + ": " + std::string(domain::row_of(domain::Rejection::kLastOwner).told_operator));
    return false;
  }
  for (const auto& project : projects)
    if (!execute(context, ledger, domain::RemoveMember{project, user})) return false;
  return true;
}

void list_team(std::vector<ListedUser>& listed, const eventstore::Log& log, const AccountRepository* accounts,
               const ProjectId& project, Timestamp now) {
  for (const auto& member : team_of(log, project).members) {
    ListedUser user{.id = member.user, .project = project, .member = member};
    if (accounts) user.account = accounts->user_state(member.user, now);
    listed.push_back(std::move(user));
  }
}

void list_who_is_in_none(std::vector<ListedUser>& listed, const AccountRepository& accounts, Timestamp now) {
  std::set<std::string> members;
  for (const auto& user : listed) members.insert(user.id.text());
  std::string after;
  for (;;) {
    const auto some = accounts.users(after, kUsersAtATime);
    for (const auto& user : some) {
      after = user.id.text();
      if (members.contains(after)) continue;
      listed.push_back({.id = user.id, .account = accounts.user_state(user.id, now)});
    }
    if (some.size() < kUsersAtATime) return;
  }
}

}  // namespace

std::optional<InvitedUser> invite_user(CommandContext& context, eventstore::Ledger& ledger,
                                       AccountRepository& accounts, const UserInvitation& invitation) {
  const auto minted = stores::new_channel_id(*ledger.log, context.clock, context.entropy);
  const auto fresh = *UserId::parse(minted.text());
  const auto user = accounts.make_user(invitation.email, fresh, context.clock.now()).id;
  const auto other = other_project_of(*ledger.log, invitation, user);
  if (other && !invitation.resets) return refuse_relying_on(*other, invitation);
  const auto before = other_role_of(*ledger.log, invitation, user);
  // Before they are a member here: from then on whoever signs in so is one.
  if (other) accounts.void_credentials(user, context.clock.now());
  if (!execute(context, ledger, domain::AddMember{invitation.project, user, invitation.role})) {
    // Somebody else may have found it meanwhile, and made it a member.
    if (user == fresh && projects_of(*ledger.log, fresh).empty()) accounts.remove_user_without_use(fresh);
    return std::nullopt;
  }
  // Somebody may have added them elsewhere meanwhile: then they are in neither by this.
  if (const auto since = other_project_of(*ledger.log, invitation, user); since && !other) {
    execute(context, ledger, domain::RemoveMember{invitation.project, user});
    return refuse_relying_on(*since, invitation);
  }
  if (!invitation.resets && accounts.credentials(user).suffice())
    return InvitedUser{user, std::nullopt, before};
  if (invitation.resets && !execute(context, ledger, domain::InviteMember{invitation.project, user}))
    return std::nullopt;
  auto token = eventstore::make_invitation_token(context.entropy);
  const auto invites = invitation.resets ? Invites::kReset : Invites::kNewcomer;
  if (!accounts.issue_invitation(user, token.hash, invites, context.clock.now()))
    throw std::runtime_error("the account was removed meanwhile; do it again");
  return InvitedUser{user, std::move(token.text), before};
}

bool remove_user(CommandContext& context, eventstore::Ledger& ledger, AccountRepository& accounts,
                 const UserId& user, const std::optional<ProjectId>& project) {
  const auto begun_at = context.clock.now();
  if (project && !execute(context, ledger, domain::RemoveMember{*project, user})) return false;
  if (!project && !remove_everywhere(context, ledger, user)) return false;
  if (projects_of(*ledger.log, user).empty()) accounts.remove_user(user, begun_at);
  return true;
}

std::vector<ListedUser> list_users(const eventstore::Log& log, const AccountRepository* accounts,
                                   const std::optional<ProjectId>& project, Timestamp now) {
  std::vector<ListedUser> listed;
  if (project) {
    list_team(listed, log, accounts, *project, now);
    return listed;
  }
  for (const auto& each : all_projects(log)) list_team(listed, log, accounts, each.id, now);
  if (accounts) list_who_is_in_none(listed, *accounts, now);
  return listed;
}

}  // namespace pixledger::tools
